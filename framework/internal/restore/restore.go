package restore

import (
	"trestle.example/framework/call"
	"trestle.example/framework/internal/store"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
)

// A Restoring answers POST {path}/{id}/restore/.
type Restoring struct{ Endpoint verb.Handler }

// Serve returns the function that answers the requests. A row that does not exist, or that the caller could not delete, is the error
// 404. A row that is not deleted stays as it is.
func (s Restoring) Serve() func(*call.Call, *table.Request) (*table.Response, error) {
	return s.Endpoint.Once(func(c *call.Call, r *table.Request) (*table.Response, error) {
		err := c.InTx(func(c *call.Call) error {
			m, err := s.Endpoint.Resource.ErasedModelOf(c, r)
			if err != nil || !s.Endpoint.Resource.IsErased(m.Elem()) {
				return err
			}
			return store.Restore(c, s.Endpoint.Resource, m)
		})
		return &table.Response{Status: s.Endpoint.Status}, err
	})
}
