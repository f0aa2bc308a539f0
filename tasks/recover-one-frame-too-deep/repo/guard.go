package granary

import "fmt"

// PanicError is a panic of somebody else's code: of the work of an update, of a
// check or of an order.
type PanicError struct {
	Value any // that panic was called with
}

// Error says what the panic said.
func (e *PanicError) Error() string {
	return fmt.Sprintf("granary: panic: %v", e.Value)
}

// Unwrap returns the value of the panic if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// contain keeps the panics of foreign code from going any further. When it is
// deferred and there is a panic, the panic ends here and err is set to it.
func contain(err *error) {
	if v := recover(); v != nil {
		*err = &PanicError{Value: v}
	}
}
