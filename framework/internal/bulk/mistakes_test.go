package bulk_test

import (
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestMistakes lists declarations of Bulk that are wrong, with the sentence at start.
func TestMistakes(t *testing.T) {
	type keyless struct {
		SKU string `json:"sku" validate:"required,line,max=20"`
	}
	type optional struct {
		SKU  string `json:"sku" validate:"line,max=20"`
		Name string `json:"name" validate:"required,line,max=50"`
	}
	create := func(*framework.Call, productInput) (productView, error) { return productView{}, nil }
	remove := func(*framework.Call, *Product, framework.None) (framework.None, error) { return framework.None{}, nil }
	for _, c := range []struct {
		name  string
		wrong func(*framework.ViewSet[Product])
		says  string
	}{
		{"a create by a function", func(v *framework.ViewSet[Product]) { v.Verbs.Create = framework.Does(create) }, `bulk: POST writes rows as create does with framework.Accepts or framework.Fills; declare it with one of them`},
		{"no verb Patch", func(v *framework.ViewSet[Product]) { v.Verbs.Patch = framework.Verb{} }, `bulk: PATCH writes rows as patch does with framework.Accepts or framework.Fills; declare it with one of them`},
		{"a delete by a function", func(v *framework.ViewSet[Product]) { v.Verbs.Delete = framework.Changes(remove) }, `bulk: DELETE deletes rows as framework.Deletes does`},
		{"versions that are required", func(v *framework.ViewSet[Product]) { v.Versions.Required = true }, `bulk: PATCH cannot name the version of each row, and Versions.Required needs one; leave one of them out`},
		{"too many rows", func(v *framework.ViewSet[Product]) { v.Bulk.Most = 20_000 }, `bulk: Most is 20000; it must be 1 to 10000`},
		{"an unknown field", func(v *framework.ViewSet[Product]) { v.Bulk.Upsert = "skuu" }, `bulk: no field "skuu" in Product; did you mean "sku"?`},
		{"a field that is not unique", func(v *framework.ViewSet[Product]) { v.Bulk.Upsert = "name" }, `bulk: Upsert finds rows by "name", and Uniques has no unique constraint of it alone or with the owner; declare it`},
		{"a field of another unique constraint", func(v *framework.ViewSet[Product]) { v.Uniques[0].Fields = []string{"sku", "name"} }, `bulk: Upsert finds rows by "sku", and Uniques has no unique constraint of it alone or with the owner; declare it`},
		{"two inputs", func(v *framework.ViewSet[Product]) { v.Verbs.Update = framework.Accepts[keyless, productView]() }, `bulk: PUT creates or replaces rows with one input, and Create and Update have two; give both the same`},
		{"two views, with a result for each item", func(v *framework.ViewSet[Product]) {
			v.Bulk.Each, v.Verbs.Update = true, framework.Accepts[productInput, productInput]()
		}, `bulk: PUT with a result for each item answers new rows as Create does, and others as Update does; give both the same view`},
		{"a new row with a secret", func(v *framework.ViewSet[Product]) {
			v.Verbs.Create = framework.Accepts[productInput, productView]().AnswersSecret()
		}, `bulk: PUT creates rows, and the answer of Create has a secret that is never stored; call AnswersSecret on Update too`},
		{"a field that the input does not have", func(v *framework.ViewSet[Product]) { v.Bulk.Upsert = "id" }, `bulk: Upsert finds rows by "id", which the input of Update does not have`},
		{"an optional natural key", func(v *framework.ViewSet[Product]) {
			v.Verbs.Create, v.Verbs.Update, v.Verbs.Patch = framework.Accepts[optional, productView](), framework.Accepts[optional, productView](), framework.Accepts[optional, productView]()
		}, "bulk: Upsert finds rows by \"sku\"; tag the field of the input `validate:\"required\"`"},
		{"no view with the key", func(v *framework.ViewSet[Product]) {
			v.Verbs = framework.CRUD[productInput, productInput]()
		}, `bulk: it finds rows by ID, which no view shows; show it in the view of a verb`},
		{"a limit alone", func(v *framework.ViewSet[Product]) { v.Bulk = framework.Bulk{Most: 5} }, `bulk: Most has no effect without Create, Patch, Upsert or Delete; set one of them, or leave Bulk out`},
		{"one by one alone", func(v *framework.ViewSet[Product]) { v.Bulk = framework.Bulk{Each: true} }, `bulk: Each has no effect without Create, Patch, Upsert or Delete; set one of them, or leave Bulk out`},
		{"an action of this name", func(v *framework.ViewSet[Product]) {
			v.Collection = []framework.CollectionAction{framework.OnCollection("POST", "bulk", create)}
		}, `bulk: it is declared twice for POST`},
	} {
		t.Run(c.name, func(t *testing.T) {
			apitest.Databases(t, shop, func(t *testing.T, db *sqldb.DB) {
				all := resources()
				v := products()
				c.wrong(&v)
				all[0] = v
				api := framework.New(apitest.Config(db))
				api.Register(all...)
				err := api.Check()
				if err == nil || !strings.Contains(err.Error(), "products: "+c.says) {
					t.Errorf("the mistakes are\n%v\nwant\nproducts: %s", err, c.says)
				}
			})
		})
	}
}
