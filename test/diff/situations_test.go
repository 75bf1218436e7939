// Copyright (c) 2026 the claudecoded authors. MIT license.

package diff

// The files of a scene: the one that the proposal is for, and two more.
const (
	target = "tar get.txt"
	other  = "other.txt"
	third  = "third.txt"
)

// situation is how the editor was when the proposal came.
type situation struct {
	name string
	// fresh is a proposal for a file that does not exist.
	fresh bool
	// lua sets the scene; target, other and third are the files' paths in it, edit opens one.
	lua string
	// mode is the user's; empty for Normal mode.
	mode string
	// claude is whether the cursor is in Claude's terminal, from which the focus moves into
	// the diff.
	claude bool
	// crowd is whether the user's page has other windows of the user's.
	crowd bool
}

// scenery runs before the scene's own code.
const scenery = `
	local target, other, third = ...
	local function edit(path)
		vim.cmd.edit(vim.fn.fnameescape(path))
	end
	-- Something of the user's in whatever a diff could disturb.
	vim.fn.setreg("a", "one\n", "l")
	vim.fn.setreg("q", "ihello", "c")
	vim.fn.setreg("-", "deleted")
	vim.fn.setreg("/", "line 2")
	edit(third)
	vim.cmd("normal! 7GmC")
	edit(other)
	vim.cmd("normal! 4Gddu3Gyy9GmAma30Gmb20G4lzt")
	vim.cmd("setlocal foldmethod=manual nowrap | 32,34fold | normal! 20G4l")
	vim.keymap.set("n", "<leader>da", "<Cmd>let g:mine = 1<CR>", { buffer = true, desc = "of the user" })
`

// shown opens the file with folds, marks and mappings, and text that was undone.
const shown = `
	edit(target)
	vim.cmd("normal! 4Gdd6Gyyu12Gmx25Gmy18G2lzt")
	vim.cmd("setlocal foldmethod=manual nowrap foldcolumn=1 cursorline | 30,33fold | normal! 18G2l")
	vim.keymap.set("n", "<leader>da", "<Cmd>let g:mine = 1<CR>", { buffer = true, desc = "of the user" })
	vim.keymap.set("n", "<leader>dq", function() vim.g.mine = 2 end, { buffer = true, nowait = true })
	vim.cmd("silent write")
`

var situations = []situation{
	{name: "new file", fresh: true},
	{name: "new file, empty editor", fresh: true, lua: `vim.cmd("enew | bwipeout " .. vim.fn.fnameescape(other))`},
	{name: "shown", lua: shown},
	{name: "shown without folds", lua: `edit(target) vim.cmd("normal! 20G2lzt")`},
	{name: "hidden", lua: shown + `edit(other)`},
	{name: "listed and not loaded", lua: `vim.cmd.badd(vim.fn.fnameescape(target))`},
	{name: "not open"},
	{name: "two windows", crowd: true, lua: shown + `
		vim.cmd("split | normal! 5Gzt")
		vim.cmd("wincmd j | resize 12 | normal! 22G")
	`},
	{name: "other tab page", lua: `
		vim.cmd("tabnew")
	` + shown + `
		vim.cmd("vsplit | tabprevious")
	`},
	{name: "only a terminal", mode: "nt", lua: `vim.cmd("terminal cat") vim.cmd("only")`},
	{name: "typing to Claude", mode: "t", claude: true, lua: `vim.cmd("terminal ./claude") vim.cmd("only")`},
	{name: "typing to Claude beside the file", mode: "t", claude: true, crowd: true, lua: shown + `
		vim.cmd("botright 48vsplit | terminal ./claude")
	`},
	{name: "explorer focused", crowd: true, lua: shown + `
		vim.cmd("topleft 30vnew | setlocal buftype=nofile filetype=neo-tree winfixwidth nobuflisted")
		vim.api.nvim_buf_set_lines(0, 0, -1, true, { "a", "b", "c" })
		vim.cmd("normal! 2G")
	`},
	{name: "user's own diff", crowd: true, lua: shown + `
		edit(other)
		vim.cmd("vertical diffsplit " .. vim.fn.fnameescape(third))
		-- Both where 'cursorbind' would have them anyway, once a key is typed.
		vim.cmd("normal! 10G0")
		vim.cmd("wincmd p | normal! 10G0")
		vim.cmd("wincmd p | syncbind")
	`},
	{name: "splitright", crowd: true, lua: `
		vim.cmd("set splitright splitbelow noequalalways")
	` + shown + `
		vim.cmd("10split | 30vsplit")
		edit(other)
	`},
	{name: "equalalways off", crowd: true, lua: `
		vim.cmd("set nosplitright nosplitbelow noequalalways")
	` + shown + `
		vim.cmd("botright 50vsplit")
		edit(third)
		vim.cmd("wincmd p")
	`},
	{name: "quickfix and float", crowd: true, lua: shown + `
		vim.fn.setqflist({ { filename = other, lnum = 3, text = "here" } })
		vim.cmd("copen 6 | wincmd p")
		vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), false,
			{ relative = "editor", row = 2, col = 100, width = 20, height = 3 })
	`},
	{name: "winfixbuf", lua: `vim.wo.winfixbuf = true`},
}

// situationNamed is one of the table.
func situationNamed(name string) situation {
	for _, s := range situations {
		if s.name == name {
			return s
		}
	}
	panic("diff: no situation " + name)
}
