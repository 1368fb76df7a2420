package cuda

// This file lists the functions of the driver.

// A Library is a CUDA driver. Call passes words and addresses to a function and
// returns its code; what the addresses point to must lie on the heap and be kept
// alive by the caller. A Library may be called from several goroutines.
type Library interface {
	Call(f Function, args ...uintptr) Code
}

// A Function is one that a [Library] has.
type Function int

// The functions, by the names of the driver's manual without their prefix.
const (
	Init Function = iota
	DeviceGetCount
	DeviceGet
	DeviceGetName
	DeviceTotalMem
	DeviceGetAttribute
	DevicePrimaryCtxRetain
	CtxSetCurrent
	ModuleLoadDataEx
	ModuleGetFunction
	FuncSetAttribute
	MemAlloc
	MemFree
	MemHostAlloc
	MemFreeHost
	MemcpyHtoDAsync
	MemcpyDtoHAsync
	StreamCreate
	StreamSynchronize
	StreamDestroy
	EventCreate
	EventRecord
	EventSynchronize
	EventElapsedTime
	LaunchKernelEx
	MemsetD8Async
	MemcpyPeerAsync
	CtxEnablePeerAccess
	StreamWaitEvent
	StreamBeginCapture
	StreamEndCapture
	GraphInstantiate
	GraphLaunch
	GraphDestroy
	GraphExecDestroy
	GetErrorName
	functions // their number
)

// symbols are the names in the library.
var symbols = [functions]string{
	Init:                   "cuInit",
	DeviceGetCount:         "cuDeviceGetCount",
	DeviceGet:              "cuDeviceGet",
	DeviceGetName:          "cuDeviceGetName",
	DeviceTotalMem:         "cuDeviceTotalMem_v2",
	DeviceGetAttribute:     "cuDeviceGetAttribute",
	DevicePrimaryCtxRetain: "cuDevicePrimaryCtxRetain",
	CtxSetCurrent:          "cuCtxSetCurrent",
	ModuleLoadDataEx:       "cuModuleLoadDataEx",
	ModuleGetFunction:      "cuModuleGetFunction",
	FuncSetAttribute:       "cuFuncSetAttribute",
	MemAlloc:               "cuMemAlloc_v2",
	MemFree:                "cuMemFree_v2",
	MemHostAlloc:           "cuMemHostAlloc",
	MemFreeHost:            "cuMemFreeHost",
	MemcpyHtoDAsync:        "cuMemcpyHtoDAsync_v2",
	MemcpyDtoHAsync:        "cuMemcpyDtoHAsync_v2",
	StreamCreate:           "cuStreamCreate",
	StreamSynchronize:      "cuStreamSynchronize",
	StreamDestroy:          "cuStreamDestroy_v2",
	EventCreate:            "cuEventCreate",
	EventRecord:            "cuEventRecord",
	EventSynchronize:       "cuEventSynchronize",
	EventElapsedTime:       "cuEventElapsedTime",
	LaunchKernelEx:         "cuLaunchKernelEx",
	MemsetD8Async:          "cuMemsetD8Async",
	MemcpyPeerAsync:        "cuMemcpyPeerAsync",
	CtxEnablePeerAccess:    "cuCtxEnablePeerAccess",
	StreamWaitEvent:        "cuStreamWaitEvent",
	StreamBeginCapture:     "cuStreamBeginCapture_v2",
	StreamEndCapture:       "cuStreamEndCapture",
	GraphInstantiate:       "cuGraphInstantiateWithFlags",
	GraphLaunch:            "cuGraphLaunch",
	GraphDestroy:           "cuGraphDestroy",
	GraphExecDestroy:       "cuGraphExecDestroy",
	GetErrorName:           "cuGetErrorName",
}

// String is the name in the library.
func (f Function) String() string { return symbols[f] }
