-- Copyright (c) 2026 the claudecoded authors. MIT license.

std = "luajit"
-- Options and variables are set through the fields of vim.
globals = { "vim" }
codes = true
max_line_length = 120
-- What make deps and make build put here.
exclude_files = { ".cache", "bin" }
