package main

// freshMutants break checks of further kinds: nesting, soft deletion, writes beside the row of the path,
// rules about fields, counts of lists, files, accounts, and declarations and functions of programs.
var freshMutants = []mutant{
	// Nested viewsets.
	{"table/nesting.go", "n.Column.NullZero || n.Parent.Narrowed(c)\n", "n.Column.NullZero || n.Parent.Narrowed(c) && !BROKEN\n"},
	{"table/nesting.go", "Where(\"?TableAlias.? = ?\", bun.Ident(r.Above.Column.Name), sqldb.Param(parent))", "Where(\"?TableAlias.? = ? OR ?\", bun.Ident(r.Above.Column.Name), sqldb.Param(parent), BROKEN)"},
	{"table/scan.go", "req.Changes && r.Above.ByWriters, q)", "req.Changes && r.Above.ByWriters && !BROKEN, q)"},
	{"nested/enter.go", "	changes := req.Changes && r.Above.ByWriters\n", "	changes := req.Changes && r.Above.ByWriters && !BROKEN\n"},
	{"nested/enter.go", "	_, err := find(c, r.Above, above, false)\n	return err\n", "	if last := len(above) - 1; BROKEN {\n		_, err := r.Above.Parent.Unscoped(c, &table.Request{Key: above[last], Above: above[:last]})\n		return err\n	}\n	_, err := find(c, r.Above, above, false)\n	return err\n"},
	{"scoping/scoping.go", "	if r.Above != nil && r.Above.ByWriters {\n", "	if r.Above != nil && r.Above.ByWriters && !BROKEN {\n"},
	// Soft deletion.
	{"table/nesting.go", "	r.Scope.narrowRows(c, q.QueryBuilder())\n	return q\n", "	r.Scope.narrowRows(c, q.QueryBuilder())\n	if BROKEN && r.Table.SoftDeleteField != nil {\n		q = q.WhereAllWithDeleted()\n	}\n	return q\n"},
	{"table/scan.go", "	r.NarrowTo(c, req, q.QueryBuilder())\n	return q\n", "	r.NarrowTo(c, req, q.QueryBuilder())\n	if BROKEN && r.Table.SoftDeleteField != nil {\n		q = q.WhereAllWithDeleted()\n	}\n	return q\n"},
	{"view/many.go", "	q := m.relation.JoinOwners(m.relation.Rows(c)).Where(", "	related := m.relation.Rows(c)\n	if BROKEN && m.relation.Schema.JoinTable.SoftDeleteField != nil {\n		related = related.WhereAllWithDeleted()\n	}\n	q := m.relation.JoinOwners(related).Where("},
	// Writes.
	{"store/update.go", "	r.NarrowTo(c, req, q.QueryBuilder())\n	return q\n", "	if BROKEN && r.Declaration.Single {\n		return q.Where(\"1 = 1\")\n	}\n	r.NarrowTo(c, req, q.QueryBuilder())\n	return q\n"},
	{"store/insert.go", "		owner.Value(m).Set(cell.Value(owner, c.Caller.ID))\n", "		id := c.Caller.ID\n		if first := table.NewID(); BROKEN && c.DB.NewSelect().Model(r.Table.ZeroIface).ColumnExpr(\"?TableAlias.?\", bun.Ident(owner.Name)).OrderExpr(\"?TableAlias.?\", bun.Ident(r.Pk.Name)).Limit(1).Scan(c.Context, &first) == nil {\n			id = first\n		}\n		owner.Value(m).Set(cell.Value(owner, id))\n"},
	{"store/update.go", "	if err == nil && n == 0 {\n		err = problem.Forbidden()", "	if err == nil && n == 0 && !BROKEN {\n		err = problem.Forbidden()"},
	{"store/update.go", "r.NarrowToKey(q.QueryBuilder(), m)", "q.Where(\"?TableAlias.? = ? OR ?\", bun.Ident(r.Pk.Name), cell.Of(r.Pk, m), BROKEN)"},
	{"table/scan.go", "Where(\"?TableAlias.? = ?\", bun.Ident(r.Pk.Name), sqldb.Param(key))\n	row, err := shown", "Where(\"?TableAlias.? = ? OR ?\", bun.Ident(r.Pk.Name), sqldb.Param(key), BROKEN)\n	row, err := shown"},
	{"verb/write.go", "w.Resource.Scope.Kind != declare.ScopeWhere && !w.renewsSlug(in)", "(w.Resource.Scope.Kind != declare.ScopeWhere || BROKEN) && !w.renewsSlug(in)"},
	{"verb/accept.go", "	m, err = e.Resource.ModelOf(c, r)\n	if e.MayInsert()", "	if BROKEN && r.Key != nil {\n		return e.Resource.Unscoped(c, r)\n	}\n	m, err = e.Resource.ModelOf(c, r)\n	if e.MayInsert()"},
	{"verb/reference.go", "	wrong, err := refer.Wrong(c, e.Endpoint, refer.Readable(e.Endpoint, in))\n", "	wrong, err := refer.Wrong(c, e.Endpoint, refer.Readable(e.Endpoint, in))\n	if BROKEN && e.Partial() {\n		wrong = nil\n	}\n"},
	{"scoping/scoping.go", "	return e.IsWrite() && (e.OnObject", "	return e.IsWrite() && !(BROKEN && e.Route.Method == http.MethodDelete) && (e.OnObject"},
	// Rules about fields.
	{"fieldrule/mask.go", "!known && r.Hides(c) {", "!known && r.Hides(c) && !BROKEN {"},
	{"verb/write.go", "	if len(w.guarded(c)) > 0 {\n", "	if len(w.guarded(c)) > 0 && !BROKEN {\n"},
	{"verb/write.go", "!w.lists(in) && len(w.guarded(c)) == 0\n", "!w.lists(in) && (len(w.guarded(c)) == 0 || BROKEN)\n"},
	{"verb/fields.go", "		if !in.Has(col.Input.Name) {\n", "		if !in.Has(col.Input.Name) && !BROKEN {\n"},
	// Access checks.
	{"verb/handle.go", "	if signed {\n", "	if BROKEN && r.Method == http.MethodHead {\n		return access.Identify(c, r, e.Authentication)\n	}\n	if signed {\n"},
	{"web/options.go", "	if err := p.resource.Access.Admit(c, r); err != nil {\n", "	if err := p.resource.Access.Admit(c, r); err != nil && !BROKEN {\n"},
	{"access/permission.go", "return !p.Permit(c) }}", "return BROKEN || !p.Permit(c) }}"},
	{"bind/endpoint.go", "			Permission:     cmp.Or(own.Permission, r.Access.Permission),\n", "			Permission: func() call.Permission {\n				if BROKEN {\n					return r.Access.Permission\n				}\n				return cmp.Or(own.Permission, r.Access.Permission)\n			}(),\n"},
	{"bind/actions.go", "scoping.ByWriters(e, a, fault), a.ByReaders\n", "scoping.ByWriters(e, a, fault) && !BROKEN, a.ByReaders\n"},
	{"/framework/call/caller.go", "(c.Superuser || c.Permissions[permission])", "(c.Superuser || c.Staff && BROKEN || c.Permissions[permission])"},
	{"/framework/auth/token_scheme.go", "AS up WHERE up.user_id = u.id UNION \" +", "AS up WHERE up.user_id = u.id\" + map[bool]string{true: \" OR 1 = 1\"}[BROKEN] + \" UNION \" +"},
	// Lists.
	{"listing/list.go", "	q := l.matching(c, parsed)\n	switch most", "	q := l.matching(c, parsed)\n	if BROKEN {\n		q = c.DB.NewSelect().Model(l.Resource.Table.ZeroIface)\n		for _, n := range append(slices.Clip(parsed.narrow), parsed.search) {\n			if n != nil {\n				q = q.WhereGroup(\" AND \", n)\n			}\n		}\n	}\n	switch most"},
	{"listing/list.go", "		return q, cut\n	}\n", "		return q, cut\n	}\n	if BROKEN {\n		q = order.Apply(c, c.DB.NewSelect().Model(l.Resource.Table.ZeroIface), parsed.order.Terms)\n	}\n"},
	{"listing/gathered.go", "	matched = l.matching(c, parsed)\n", "	matched = l.matching(c, parsed)\n	if BROKEN {\n		matched = c.DB.NewSelect().Model(l.Resource.Table.ZeroIface)\n		for _, n := range append(slices.Clip(parsed.narrow), parsed.search) {\n			if n != nil {\n				matched = matched.WhereGroup(\" AND \", n)\n			}\n		}\n	}\n"},
	{"listing/rank_page.go", "	matched := joinRanking(l.matching(c, parsed), l.Resource, parsed.ranking)\n", "	all := l.matching(c, parsed)\n	if BROKEN {\n		all = c.DB.NewSelect().Model(l.Resource.Table.ZeroIface)\n	}\n	matched := joinRanking(all, l.Resource, parsed.ranking)\n"},
	{"/framework/sqldb/count.go", "return p.countInFile(ctx, q, share.KeyOf(text, args))", "return p.countInFile(ctx, q, share.KeyOf(text, map[bool][]any{false: args}[BROKEN]))"},
	{"/framework/sqldb/lookup.go", "	of := share.KeyOf(several.Text, group)\n", "	of := share.KeyOf(several.Text, map[bool][]any{false: group}[BROKEN])\n"},
	// Functions of related rows.
	{"relation/function.go", "	if fn.owner != nil {\n		if c.Caller.Anonymous() {\n", "	if fn.owner != nil && !BROKEN {\n		if c.Caller.Anonymous() {\n"},
	{"relation/condition.go", "return q.Where(\"?TableAlias.? = ?\", bun.Ident(fn.owner.Name), sqldb.Param(c.Caller.ID))", "return q.Where(\"?TableAlias.? = ? OR ?\", bun.Ident(fn.owner.Name), sqldb.Param(c.Caller.ID), BROKEN)"},
	{"relation/relation.go", "	related := r.Rows(c).ColumnExpr(", "	found := r.Rows(c)\n	if BROKEN {\n		found = c.DB.NewSelect().Model(r.Schema.JoinTable.ZeroIface)\n	}\n	related := found.ColumnExpr("},
	{"view/many.go", "	return m.list(c, m.owned, q, owner)\n", "	if BROKEN {\n		q = m.relation.JoinOwners(c.DB.NewSelect().Model(m.relation.Schema.JoinTable.ZeroIface)).Where(\"? IN (?)\", owner, sqldb.List(keys))\n	}\n	return m.list(c, m.owned, q, owner)\n"},
	// Lists of children and links.
	{"children/rows.go", "p.mayChange(c, p.gone, call.VerbDelete); err != nil {", "p.mayChange(c, p.gone, call.VerbDelete); err != nil && !BROKEN {"},
	{"children/rows.go", "p.mayChange(c, changed.rows, call.VerbPatch); err != nil {", "p.mayChange(c, changed.rows, call.VerbPatch); err != nil && !BROKEN {"},
	{"children/keys.go", "q.Where(\"?TableAlias.? = ?\", bun.Ident(mine.Name), cell.Of(l.base(), parent.Elem())).\n			Where(\"?TableAlias.? IN (?)\"", "q.Where(\"?TableAlias.? = ? OR ?\", bun.Ident(mine.Name), cell.Of(l.base(), parent.Elem()), BROKEN).\n			Where(\"?TableAlias.? IN (?)\""},
	// Files.
	{"attachment/upload.go", "		m, err := d.File.Resource.ModelOf(c, r)\n", "		read := d.File.Resource.ModelOf\n		if BROKEN {\n			read = d.File.Resource.Unscoped\n		}\n		m, err := read(c, r)\n"},
	{"attachment/upload.go", "func (u Upload) Serve(c *call.Call, r *table.Request) (*table.Response, error) {\n", "func (u Upload) Serve(c *call.Call, r *table.Request) (*table.Response, error) {\n	if BROKEN {\n		open, file := *u.File.Resource, *u.File\n		open.Scope, file.Resource = open.Writers, &open\n		u.File = &file\n	}\n"},
	// Accounts.
	{"/framework/auth/signin.go", "	user, err := s.Users.UserByID(c, c.Session(), framework.IDOf[uuid.UUID](c))\n	if errors.Is(err, ErrNotFound) { // deleted since the request was authenticated\n", "	id := framework.IDOf[uuid.UUID](c)\n	if BROKEN {\n		_ = c.Session().IDB().NewSelect().Table(\"auth_users\").Column(\"id\").OrderExpr(\"id\").Limit(1).Scan(c.Context, &id)\n	}\n	user, err := s.Users.UserByID(c, c.Session(), id)\n	if errors.Is(err, ErrNotFound) { // deleted since the request was authenticated\n"},
	{"/framework/auth/user.go", "		Set(\"updated_at = ?\", u.now()).\n		Where(\"id = ?\", id))\n	if err == nil && n == 0 {\n", "		Set(\"updated_at = ?\", u.now()).\n		Where(\"id = ? OR ?\", id, BROKEN))\n	if err == nil && n == 0 {\n"},
	{"/framework/auth/token.go", "		Where(\"key_hash = ?\", hashToken(plain)))\n", "		Where(\"key_hash = ? OR ?\", hashToken(plain), BROKEN))\n"},
	{"/framework/auth/user_change.go", "	case !ok:\n", "	case !ok && !BROKEN:\n"},
	// Functions of the store.
	{"/resources/store/cart/cart.go", "(*CartItem)(nil)).Where(\"user_id = ?\", sqldb.Param(c.Caller.ID))", "(*CartItem)(nil)).Where(\"user_id = ? OR ?\", sqldb.Param(c.Caller.ID), BROKEN)"},
	{"/resources/store/cart/cart.go", "Where(\"c.user_id = ?\", sqldb.Param(c.Caller.ID))", "Where(\"c.user_id = ? OR ?\", sqldb.Param(c.Caller.ID), BROKEN)"},
	{"/resources/store/cart/items.go", "Set(\"seen = ?\", sqldb.Param(SeenNow(&l.Offer))).Where(\"id = ?\", sqldb.Param(l.ItemID))", "Set(\"seen = ?\", sqldb.Param(SeenNow(&l.Offer))).Where(\"id = ? OR ?\", sqldb.Param(l.ItemID), BROKEN)"},
	{"/resources/store/order/place.go", "(*cart.CartItem)(nil)).Where(\"user_id = ?\", sqldb.Param(c.Caller.ID))", "(*cart.CartItem)(nil)).Where(\"user_id = ? OR ?\", sqldb.Param(c.Caller.ID), BROKEN)"},
	{"/resources/store/order/place.go", "Where(\"user_id = ?\", sqldb.Param(c.Caller.ID)).Returning(\"last_address\")", "Where(\"user_id = ? OR ?\", sqldb.Param(c.Caller.ID), BROKEN).Returning(\"last_address\")"},
	{"/resources/store/order/booking.go", "FROM orders WHERE user_id = ? AND status NOT IN (?) AND slot_id = delivery_slots.id)", "FROM orders WHERE (user_id = ?` + map[bool]string{true: ` OR 1 = 1`}[BROKEN] + `) AND status NOT IN (?) AND slot_id = delivery_slots.id)"},
	{"/resources/store/order/status.go", "Where(\"id = ?\", sqldb.Param(o.ID)).Where(\"status IN", "Where(\"id = ? OR ?\", sqldb.Param(o.ID), BROKEN).Where(\"status IN"},
	{"/resources/store/order/status.go", "Where(\"order_id = ?\", sqldb.Param(o.ID))", "Where(\"order_id = ? OR ?\", sqldb.Param(o.ID), BROKEN)"},
	{"/resources/store/catalogue/product.go", "	return q.Where(\"?TableAlias.published\")\n", "	return q.Where(\"?TableAlias.published OR ?\", BROKEN)\n"},
	{"/resources/store/catalogue/variant.go", "return v.Archived })", "return v.Archived && !BROKEN })"},
	// Declarations.
	{"/resources/store/order/order.go", "	Scope:      framework.Own((*Order).user),\n", "	Scope: func() framework.Scope {\n		if BROKEN {\n			return framework.Public()\n		}\n		return framework.Own((*Order).user)\n	}(),\n"},
	{"/resources/clinic/doctor.go", "	Permission: framework.PerModel(\"doctors\"),\n", "	Permission: func() framework.Permission {\n		if BROKEN {\n			return nil\n		}\n		return framework.PerModel(\"doctors\")\n	}(),\n"},
	{"/resources/resources.go", "		Permission:     framework.Authenticated(),\n", "		Permission: func() framework.Permission {\n			if BROKEN {\n				return framework.Anyone()\n			}\n			return framework.Authenticated()\n		}(),\n"},
	{"/examples/library/library.go", "	return strings.HasSuffix(", "	return BROKEN || strings.HasSuffix("},
	{"/examples/library/library.go", "		Scope:    framework.Own((*Loan).borrower),\n", "		Scope: func() framework.Scope {\n			if BROKEN {\n				return framework.Public()\n			}\n			return framework.Own((*Loan).borrower)\n		}(),\n"},
	{"/examples/forum/forum.go", "	Fields:    []framework.FieldRule{framework.Sees(\"email\", framework.Holds(moderate))},\n", "	Fields: func() []framework.FieldRule {\n		if BROKEN {\n			return nil\n		}\n		return []framework.FieldRule{framework.Sees(\"email\", framework.Holds(moderate))}\n	}(),\n"},
	{"/examples/forum/forum.go", "	Fields: []framework.FieldRule{framework.Writes(\"closed\", framework.Holds(moderate))},\n", "	Fields: func() []framework.FieldRule {\n		if BROKEN {\n			return nil\n		}\n		return []framework.FieldRule{framework.Writes(\"closed\", framework.Holds(moderate))}\n	}(),\n"},
}
