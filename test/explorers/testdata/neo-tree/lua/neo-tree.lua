--- What a user calls of neo-tree.

return { setup = function() end }
