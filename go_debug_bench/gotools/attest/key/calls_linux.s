// This file lets a function of the package have no body: it is linked by name.
