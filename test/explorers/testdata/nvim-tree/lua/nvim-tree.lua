--- What a user calls of nvim-tree.

return { setup = function() end }
