package main

import (
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
)

// Contact is how employees and customers are reached.
type Contact struct {
	Address    *string `validate:"filled,max=70"`
	City       *string `validate:"filled,max=40"`
	State      *string `validate:"filled,max=40"`
	Country    *string `validate:"filled,max=40"`
	PostalCode *string `validate:"filled,max=10"`
	Phone      *string `validate:"filled,max=24"`
	Fax        *string `validate:"filled,max=24"`
}

// An Employee is a row of the table employee.
type Employee struct {
	bun.BaseModel `bun:"table:employee"`

	ID        int32 `bun:"employee_id,pk,autoincrement"`
	LastName  string
	FirstName string
	Title     *string
	ReportsTo *int32
	BirthDate *time.Time
	HireDate  *time.Time
	Email     *string
	Contact

	Manager   *Employee   `bun:"rel:belongs-to,join:reports_to=employee_id"`
	Reports   []*Employee `bun:"rel:has-many,join:employee_id=reports_to"`
	Customers []*Customer `bun:"rel:has-many,join:employee_id=support_rep_id"`
}

// EmployeeInput is what the general manager writes of an employee.
type EmployeeInput struct {
	LastName  string     `validate:"required,line,max=20"`
	FirstName string     `validate:"required,line,max=20"`
	Title     *string    `validate:"filled,line,max=30"`
	ReportsTo *int32     `ref:"employees"`
	BirthDate *time.Time `validate:"lte"`
	HireDate  *time.Time
	Email     *string `validate:"filled,email,max=60"`
	Contact
}

// EmployeeView is an employee with the manager and the reports.
type EmployeeView struct {
	ID int32
	EmployeeInput
	Manager       *PersonView
	Reports       []PersonView `from:"reports,order=last_name"`
	CustomerCount int64        `from:"count(customers)"`
}

// PersonView is an employee or a customer within another row.
type PersonView struct {
	ID        int32
	FirstName string
	LastName  string
}

// Employees serves /api/employees/ to employees. The general manager writes, and sees birth dates.
var Employees = framework.ViewSet[Employee]{
	Name:       "employees",
	Verbs:      framework.CRUD[EmployeeInput, EmployeeView](),
	Scope:      framework.Public(),
	Permission: framework.All(framework.Staff(), framework.PerModel("employees")),
	Relations:  framework.Relations{"manager": "employees", "reports": "employees", "customers": "support/customers"},
	Search:     framework.Search{Fields: []string{"first_name", "last_name", "title"}},
	Ordering:   framework.Ordering{Allowed: []string{"last_name", "hire_date", "manager.last_name", "birth_date"}, Default: "last_name"},
	Fields:     []framework.FieldRule{framework.Sees("birth_date", framework.Holds("employees.personal"))},
	Filters: []framework.Filter{
		filter.Exact("manager", "manager.last_name"),
		filter.Exact("manages", "reports.last_name"),
		filter.IsNull("top", "reports_to"),
		filter.Range("hire_date"),
		filter.Range("birth_date"),
	},
}

func (e *Employee) self() *int32 { return &e.ID }

// Profile serves /api/profile/: the employee who calls, with the birth date.
var Profile = framework.ViewSet[Employee]{
	Name:       "profile",
	Single:     true,
	Verbs:      framework.Verbs{Retrieve: framework.Shows[EmployeeView]()},
	Scope:      framework.Own((*Employee).self),
	Permission: framework.Staff(),
	Relations:  framework.Relations{"manager": "employees", "reports": "employees", "customers": "support/customers"},
}

// A Customer is a row of the table customer.
type Customer struct {
	bun.BaseModel `bun:"table:customer"`

	ID           int32 `bun:"customer_id,pk,autoincrement"`
	FirstName    string
	LastName     string
	Company      *string
	Email        string
	SupportRepID *int32
	Contact

	SupportRep *Employee  `bun:"rel:belongs-to,join:support_rep_id=employee_id"`
	Invoices   []*Invoice `bun:"rel:has-many,join:customer_id=customer_id"`
}

func (c *Customer) self() *int32 { return &c.ID }
func (c *Customer) rep() **int32 { return &c.SupportRepID }

// CustomerInput is what is written of a customer.
type CustomerInput struct {
	FirstName string  `validate:"required,line,max=40"`
	LastName  string  `validate:"required,line,max=20"`
	Company   *string `validate:"filled,line,max=80"`
	Email     string  `validate:"required,email,max=60"`
	Contact
}

// CustomerView is a customer with the support representative and what the invoices come to.
type CustomerView struct {
	ID int32
	CustomerInput
	SupportRep   *PersonView
	InvoiceCount int64      `from:"count(invoices)"`
	Spent        Total      `from:"sum(invoices.total)"`
	LastInvoice  *time.Time `from:"max(invoices.invoice_date)"`
}

// customers permits customers alone. Customers and employees are numbered apart, so that
// customer 3 is another caller than employee 3.
func customers() framework.Permission {
	return framework.All(framework.Authenticated(), framework.Not(framework.Staff()))
}

// Account serves /api/account/: the customer who calls.
var Account = framework.ViewSet[Customer]{
	Name:       "account",
	Single:     true,
	Verbs:      framework.Verbs{Retrieve: framework.Shows[CustomerView](), Patch: framework.Accepts[CustomerInput, CustomerView]()},
	Scope:      framework.Own((*Customer).self),
	Permission: customers(),
	Relations:  framework.Relations{"support_rep": "employees", "invoices": "invoices"},
}

// Customers serves /api/support/customers/: a support representative has the customers assigned
// to them, and the general manager all.
var Customers = framework.ViewSet[Customer]{
	Name:       "customers",
	Under:      "support",
	Verbs:      framework.CRUD[CustomerInput, CustomerView](),
	Scope:      framework.Own((*Customer).rep).Unless(framework.HoldsModel("customers")),
	Permission: framework.Staff(),
	Relations:  framework.Relations{"support_rep": "employees", "invoices": "support/invoices"},
	Search:     framework.Search{Fields: []string{"first_name", "last_name", "company", "email"}},
	Ordering:   framework.Ordering{Allowed: []string{"last_name", "support_rep.last_name", "spent"}, Default: "last_name"},
	Filters: []framework.Filter{
		filter.Exact("country"),
		filter.Exact("support_rep", "support_rep.last_name"),
		filter.Min("min_spent", "spent"),
		filter.Exact("bought", "invoices.lines.track.name"),
	},
}

// An Invoice is a row of the table invoice.
type Invoice struct {
	bun.BaseModel `bun:"table:invoice"`

	ID                int32 `bun:"invoice_id,pk,autoincrement"`
	CustomerID        int32
	InvoiceDate       time.Time
	BillingAddress    *string
	BillingCity       *string
	BillingState      *string
	BillingCountry    *string
	BillingPostalCode *string
	Total             Price

	Customer *Customer      `bun:"rel:belongs-to,join:customer_id=customer_id"`
	Lines    []*InvoiceLine `bun:"rel:has-many,join:invoice_id=invoice_id"`
}

func (i *Invoice) customer() *int32 { return &i.CustomerID }

// Billing is what an invoice has besides its customer and its lines.
type Billing struct {
	InvoiceDate       time.Time `validate:"required"`
	BillingAddress    *string   `validate:"filled,line,max=70"`
	BillingCity       *string   `validate:"filled,line,max=40"`
	BillingState      *string   `validate:"filled,line,max=40"`
	BillingCountry    *string   `validate:"filled,line,max=40"`
	BillingPostalCode *string   `validate:"filled,line,max=10"`
	Total             Price     `validate:"required,min=0"`
}

// InvoiceInput is what support representatives write of an invoice.
type InvoiceInput struct {
	CustomerID int32 `validate:"required" ref:"support/customers"`
	Billing
	Lines []LineInput `to:"lines,limit=50"`
}

// LineInput is a line within a written invoice. A line with an ID is changed, one without is new.
type LineInput struct {
	ID        *int32
	TrackID   int32 `validate:"required" ref:"tracks"`
	UnitPrice Price `validate:"required,min=0,max=1000"`
	Quantity  int32 `validate:"required,min=1,max=1000"`
}

// InvoiceView is an invoice with its lines.
type InvoiceView struct {
	ID int32
	Billing
	Lines    []LineView
	Quantity int64 `from:"sum(lines.quantity)"`
}

// SupportInvoiceView is an invoice with its customer, its lines and what the lines come to.
type SupportInvoiceView struct {
	InvoiceView
	Customer *PersonView
	Amount   Total `from:"sum(lines.amount)"`
}

// LineView is a line within an invoice.
type LineView struct {
	ID        int32
	Track     string `from:"track.name"`
	UnitPrice Price
	Quantity  int32
}

// Invoices serves /api/invoices/: customers read their own.
var Invoices = framework.ViewSet[Invoice]{
	Name:       "invoices",
	Verbs:      framework.ReadOnly[InvoiceView](),
	Scope:      framework.Own((*Invoice).customer),
	Permission: customers(),
	Relations:  framework.Relations{"lines": framework.OfRow, "lines.track": "tracks"},
	Ordering:   framework.Ordering{Allowed: []string{"invoice_date", "total"}, Default: "-invoice_date"},
	Filters:    []framework.Filter{filter.Range("invoice_date"), filter.Range("total"), filter.Exact("track", "lines.track.name")},
}

// SupportInvoices serves /api/support/invoices/: those of the customers that the employee has.
var SupportInvoices = framework.ViewSet[Invoice]{
	Name:       "invoices",
	Under:      "support",
	Verbs:      framework.CRUD[InvoiceInput, SupportInvoiceView](),
	Scope:      framework.Via("customer_id", "support/customers").Unless(framework.HoldsModel("invoices")),
	Permission: framework.Staff(),
	Relations:  framework.Relations{"customer": "support/customers", "lines": "support/invoice-lines"},
	Ordering:   framework.Ordering{Allowed: []string{"invoice_date", "total", "customer.last_name", "amount"}, Default: "-invoice_date"},
	Filters: []framework.Filter{
		filter.Reference("customer_id", "support/customers"),
		filter.Exact("country", "customer.country"),
		filter.Range("invoice_date"),
		filter.Range("total"),
		filter.Range("amount"),
		filter.Together("lines", filter.Exact("track", "track.name"), filter.Min("min_quantity", "quantity")),
	},
}

// An InvoiceLine is a row of the table invoice_line.
type InvoiceLine struct {
	bun.BaseModel `bun:"table:invoice_line"`

	ID        int32 `bun:"invoice_line_id,pk,autoincrement"`
	InvoiceID int32
	TrackID   int32
	UnitPrice Price
	Quantity  int32

	Invoice *Invoice `bun:"rel:belongs-to,join:invoice_id=invoice_id"`
	Track   *Track   `bun:"rel:belongs-to,join:track_id=track_id"`
}

// InvoiceLineInput is what support representatives write of a line.
type InvoiceLineInput struct {
	InvoiceID int32 `validate:"required" ref:"support/invoices"`
	TrackID   int32 `validate:"required" ref:"tracks"`
	UnitPrice Price `validate:"required,min=0,max=1000"`
	Quantity  int32 `validate:"required,min=1,max=1000"`
}

// InvoiceLineView is a line with its track.
type InvoiceLineView struct {
	LineView
	InvoiceID int32
	Amount    *Total `from:"amount"`
}

// InvoiceLines serves /api/support/invoice-lines/: those of the invoices that the employee has.
var InvoiceLines = framework.ViewSet[InvoiceLine]{
	Name:       "invoice-lines",
	Under:      "support",
	Verbs:      framework.CRUD[InvoiceLineInput, InvoiceLineView](),
	Scope:      framework.Via("invoice_id", "support/invoices").Unless(framework.HoldsModel("invoices")),
	Permission: framework.Staff(),
	Relations:  framework.Relations{"track": "tracks"},
	Expressions: map[string]framework.Expression{
		"amount": framework.SQL[Total]("?TableAlias.unit_price * ?TableAlias.quantity"),
	},
	Ordering: framework.Ordering{Allowed: []string{"amount"}},
	Filters:  []framework.Filter{filter.Reference("invoice_id", "support/invoices"), filter.Exact("track", "track.name"), filter.Range("amount")},
}
