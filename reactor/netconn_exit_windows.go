// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import (
	"os"
	"sync"

	"golang.org/x/sys/windows"
)

// waitProcess waits for the process's handle, and for an event that cancel sets.
func waitProcess(pid int) (processWait, error) {
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return processWait{}, os.NewSyscallError("OpenProcess", err)
	}
	cancelled, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		_ = windows.CloseHandle(process)
		return processWait{}, os.NewSyscallError("CreateEvent", err)
	}
	var mu sync.Mutex // cancel may come after wait closed the event
	open := true
	wait := func() bool {
		handles := []windows.Handle{process, cancelled}
		event, err := windows.WaitForMultipleObjects(handles, false, windows.INFINITE)
		mu.Lock()
		defer mu.Unlock()
		open = false
		_, _ = windows.CloseHandle(process), windows.CloseHandle(cancelled)
		return err == nil && event == windows.WAIT_OBJECT_0
	}
	cancel := func() {
		mu.Lock()
		defer mu.Unlock()
		if open {
			_ = windows.SetEvent(cancelled)
		}
	}
	return processWait{wait: wait, cancel: cancel}, nil
}
