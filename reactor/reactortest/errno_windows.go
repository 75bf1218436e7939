// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactortest

import "golang.org/x/sys/windows"

const connReset = windows.WSAECONNRESET
