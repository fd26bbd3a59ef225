package framework

// reading lets a replica answer what an endpoint reads: the rows of a list, of one
// object, and of what refers to it. It is for endpoints that only read, and whose
// statements are the framework's own. Who calls and what they may was asked by
// then, and everything else, functions of a declaration among it, stays where the
// writes go.
func reading(serve func(*Call, *request) (*response, error)) func(*Call, *request) (*response, error) {
	return func(c *Call, r *request) (*response, error) {
		onReplica(c)
		return serve(c, r)
	}
}
