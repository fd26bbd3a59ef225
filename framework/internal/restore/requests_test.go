package restore_test

import "testing"

// TestDeletedRowsAreLeftOut: a deleted row is as one that does not exist, for each way to reach it.
func TestDeletedRowsAreLeftOut(t *testing.T) {
	play(t, []step{
		{name: "a folder", as: "ada", what: "POST /folders/", body: `{"name":"a"}`, status: 201, keep: "a"},
		{name: "another one", as: "ada", what: "POST /folders/", body: `{"name":"b"}`, status: 201, keep: "b"},
		{name: "a third one", as: "ada", what: "POST /folders/", body: `{"name":"c"}`, status: 201, keep: "c"},
		{name: "a sheet in it", as: "ada", what: "POST /folders/{a}/sheets/", body: `{"text":"s"}`, status: 201, keep: "s"},
		{name: "a slip in it", as: "ada", what: "POST /slips/", body: `{"folder":"{a}","text":"t"}`, status: 201, keep: "t"},
		{name: "it is pinned", as: "ada", what: "PUT /folders/{a}/pin/", status: 204},
		{name: "it has a cover", as: "ada", what: "PUT /folders/{a}/cover/", status: 200},
		{name: "it is deleted", as: "ada", what: "DELETE /folders/{a}/", status: 204},

		{name: "a second DELETE finds nothing", as: "ada", what: "DELETE /folders/{a}/", status: 404},
		{name: "it is not read", as: "ada", what: "GET /folders/{a}/", status: 404},
		{name: "it is not changed", as: "ada", what: "PATCH /folders/{a}/", body: `{"name":"x"}`, status: 404},
		{name: "it is not replaced", as: "ada", what: "PUT /folders/{a}/", body: `{"name":"x"}`, status: 404},
		{name: "it is not listed or counted", as: "ada", what: "GET /folders/", status: 200, has: `"count":2`, lacks: "{a}"},
		{name: "it is not on a far page", as: "ada", what: "GET /folders/?ordering=-letters", status: 200, has: `"count":2`, lacks: "{a}"},
		{name: "it is not found", as: "ada", what: "GET /folders/?search=a", status: 200, has: `"count":0`},
		{name: "it is not filtered", as: "ada", what: "GET /folders/?name=a", status: 200, has: `"count":0`},
		{name: "it is not in a list of an action", as: "ada", what: "GET /folders/pinned/", status: 200, has: `"count":0`},
		{name: "it is not exported", as: "ada", what: "GET /folders/?format=ndjson", status: 200, lacks: "{a}"},
		{name: "it is not pinned again", as: "ada", what: "PUT /folders/{a}/pin/", status: 404},
		{name: "its cover is not read", as: "ada", what: "GET /folders/{a}/cover/", status: 404},
		{name: "it has no new cover", as: "ada", what: "PUT /folders/{a}/cover/", status: 404},
		{name: "its history is not read", as: "ada", what: "GET /folders/{a}/history/", status: 404},
		{name: "its sheets are not read", as: "ada", what: "GET /folders/{a}/sheets/", status: 404},
		{name: "nor is one of them", as: "ada", what: "GET /folders/{a}/sheets/{s}/", status: 404},
		{name: "it gets no sheet", as: "ada", what: "POST /folders/{a}/sheets/", body: `{"text":"s"}`, status: 404},
		{name: "another row shows none of it", as: "ada", what: "GET /slips/{t}/", status: 200, has: `"folder_name":null`},
		{name: "it gets no slip", as: "ada", what: "POST /slips/", body: `{"folder":"{a}","text":"t"}`, status: 400, has: "invalid_reference"},
		{name: "it gets no letter", as: "ada", what: "POST /letters/", body: `{"folder":"{a}","text":"t"}`, status: 400, has: "invalid_reference"},
		{name: "it gets no folder in it", as: "ada", what: "PATCH /folders/{b}/", body: `{"parent":"{a}"}`, status: 400, has: "invalid_reference"},
		{name: "it is not deleted with others", as: "ada", what: "DELETE /folders/bulk/?id={a},{b}", status: 400},
		{name: "nor by itself", as: "ada", what: "DELETE /folders/bulk/each/?id={a}", status: 200, has: `"status":404`},
		{name: "its name can be used again", as: "ada", what: "POST /folders/", body: `{"name":"a"}`, status: 201, keep: "d"},
		{name: "also by a PUT for several rows", as: "ada", what: "DELETE /folders/{d}/", status: 204},
		{name: "which makes a new row", as: "ada", what: "PUT /folders/bulk/", body: `[{"name":"a"}]`, status: 200, lacks: "{d}"},
		{name: "several are deleted", as: "ada", what: "DELETE /folders/bulk/?id={b},{c}", status: 204},
		{name: "one is left", as: "ada", what: "GET /folders/", status: 200, has: `"count":1`},
	})
}

// TestDeletedRowsAreSeen: callers with the permission request deleted rows, in their scope; all others get an error.
func TestDeletedRowsAreSeen(t *testing.T) {
	play(t, []step{
		{name: "a folder", as: "bob", what: "POST /folders/", body: `{"name":"a"}`, status: 201, keep: "a"},
		{name: "another one", as: "bob", what: "POST /folders/", body: `{"name":"b"}`, status: 201, keep: "b"},
		{name: "a folder of ada", as: "ada", what: "POST /folders/", body: `{"name":"c"}`, status: 201, keep: "c"},
		{name: "bob's is pinned", as: "bob", what: "PUT /folders/{a}/pin/", status: 204},
		{name: "bob's is deleted", as: "bob", what: "DELETE /folders/{a}/", status: 204},
		{name: "ada's is deleted", as: "ada", what: "DELETE /folders/{c}/", status: 204},

		{name: "bob sees his", as: "bob", what: "GET /folders/?deleted=true", status: 200, has: `"count":1`, lacks: "{c}"},
		{name: "with the time", as: "bob", what: "GET /folders/?deleted=true", status: 200, has: `"deleted_at":"20`},
		{name: "and no others", as: "bob", what: "GET /folders/?deleted=true", status: 200, has: "{a}", lacks: "{b}"},
		{name: "alone too", as: "bob", what: "GET /folders/{a}/?deleted=true", status: 200, has: `"name":"a"`},
		{name: "a row that is not deleted is not there", as: "bob", what: "GET /folders/{b}/?deleted=true", status: 404},
		{name: "filtered", as: "bob", what: "GET /folders/?deleted=true&name=b", status: 200, has: `"count":0`},
		{name: "by related rows", as: "bob", what: "GET /folders/?deleted=true&pinned=true", status: 200, has: "{a}"},
		{name: "searched", as: "bob", what: "GET /folders/?deleted=true&search=a", status: 200, has: `"count":1`},
		{name: "ordered by related rows", as: "bob", what: "GET /folders/?deleted=true&ordering=-letters&pinned=true", status: 200, has: `"count":1`},
		{name: "in a list of an action", as: "bob", what: "GET /folders/pinned/?deleted=true", status: 200, has: `"count":1`},
		{name: "exported", as: "bob", what: "GET /folders/?deleted=true&format=ndjson", status: 200, has: "{a}", lacks: "{b}"},
		{name: "without the parameter they are not there", as: "bob", what: "GET /folders/?deleted=", status: 200, has: "{b}", lacks: "{a}"},
		{name: "nor with false", as: "bob", what: "GET /folders/?deleted=false", status: 200, has: "{b}", lacks: "{a}"},
		{name: "a value that is none", as: "bob", what: "GET /folders/?deleted=all", status: 400, has: "must be true or false"},
		{name: "nor for one row", as: "bob", what: "GET /folders/{a}/?deleted=all", status: 400, has: "must be true or false"},
		{name: "eve sees none of others", as: "eve", what: "GET /folders/?deleted=true", status: 200, has: `"count":0`},
		{name: "nor one", as: "eve", what: "GET /folders/{a}/?deleted=true", status: 404},
		{name: "mod sees all", as: "mod", what: "GET /folders/?deleted=true", status: 200, has: `"count":2`},
		{name: "ada has no permission", as: "ada", what: "GET /folders/?deleted=true", status: 403, has: "forbidden", lacks: "{c}"},
		{name: "nor for her own row", as: "ada", what: "GET /folders/{c}/?deleted=true", status: 403, lacks: `"c"`},
		{name: "nor in a list of an action", as: "ada", what: "GET /folders/pinned/?deleted=true", status: 403},
		{name: "nor in an export", as: "ada", what: "GET /folders/?deleted=true&format=ndjson", status: 403},
		{name: "a visitor has none", what: "GET /letters/?deleted=true", status: 401},
		{name: "a viewset without it has no such parameter", as: "mod", what: "GET /slips/?deleted=true", status: 200},
		{name: "a file of a deleted row is not read", as: "mod", what: "GET /folders/{a}/cover/?deleted=true", status: 404},
		{name: "a deleted row is not changed", as: "mod", what: "PATCH /folders/{a}/?deleted=true", body: `{"name":"x"}`, status: 404},
	})
}

// TestRestore: a deleted row is restored with what belongs to it.
func TestRestore(t *testing.T) {
	play(t, []step{
		{name: "a folder", as: "ada", what: "POST /folders/", body: `{"name":"a"}`, status: 201, keep: "a"},
		{name: "a sheet in it", as: "ada", what: "POST /folders/{a}/sheets/", body: `{"text":"s"}`, status: 201, keep: "s"},
		{name: "a slip in it", as: "ada", what: "POST /slips/", body: `{"folder":"{a}","text":"t"}`, status: 201, keep: "t"},
		{name: "it is pinned", as: "ada", what: "PUT /folders/{a}/pin/", status: 204},
		{name: "it has a cover", as: "ada", what: "PUT /folders/{a}/cover/", status: 200},
		{name: "a row that is not deleted stays", as: "ada", what: "POST /folders/{a}/restore/", status: 204},
		{name: "it is deleted", as: "ada", what: "DELETE /folders/{a}/", status: 204},
		{name: "a caller with no permission", as: "eve", what: "POST /folders/{a}/restore/", status: 403},
		{name: "a caller who does not have the row", as: "bob", what: "POST /folders/{a}/restore/", status: 404},
		{name: "a visitor", what: "POST /folders/{a}/restore/", status: 401},
		{name: "no row", as: "ada", what: "POST /folders/00000000-0000-7000-8000-000000000000/restore/", status: 404},
		{name: "no key", as: "ada", what: "POST /folders/x/restore/", status: 404},
		{name: "another method", as: "ada", what: "GET /folders/{a}/restore/", status: 405},
		{name: "a sheet of it alone", as: "ada", what: "POST /folders/{a}/sheets/{s}/restore/", status: 404},
		{name: "it is restored", as: "ada", what: "POST /folders/{a}/restore/", status: 204},
		{name: "it is there", as: "ada", what: "GET /folders/{a}/", status: 200, has: `"deleted_at":null`},
		{name: "it is pinned still", as: "ada", what: "GET /folders/pinned/", status: 200, has: `"count":1`},
		{name: "it has its cover", as: "ada", what: "GET /folders/{a}/cover/", status: 200, has: "a cover"},
		{name: "it has its sheet", as: "ada", what: "GET /folders/{a}/sheets/{s}/", status: 200},
		{name: "it has its slip", as: "ada", what: "GET /slips/{t}/", status: 200, has: `"folder_name":"a"`},
		{name: "it is no longer deleted", as: "mod", what: "GET /folders/?deleted=true", status: 200, has: `"count":0`},
		{name: "its history has both", as: "ada", what: "GET /folders/{a}/history/", status: 200, has: `"type":"folders.restored"`},
		{name: "and the deletion", as: "ada", what: "GET /folders/{a}/history/", status: 200, has: `"type":"folders.deleted"`},
		{name: "a second time nothing changes", as: "ada", what: "POST /folders/{a}/restore/", status: 204},

		{name: "a function deletes it", as: "ada", what: "POST /folders/{a}/leave/", status: 204},
		{name: "another folder has the name", as: "bob", what: "POST /folders/", body: `{"name":"a"}`, status: 201, keep: "b"},
		{name: "so it is not restored", as: "ada", what: "POST /folders/{a}/restore/", status: 409, has: "name_taken"},
		{name: "it is still deleted", as: "ada", what: "GET /folders/{a}/", status: 404},
		{name: "the other one goes", as: "bob", what: "DELETE /folders/{b}/", status: 204},
		{name: "then it is", as: "mod", what: "POST /folders/{a}/restore/", status: 204},
		{name: "and the other one is not", as: "bob", what: "POST /folders/{b}/restore/", status: 409, has: "name_taken"},

		{name: "a letter", as: "ada", what: "POST /letters/", body: `{"folder":"{a}","text":"l"}`, status: 201, keep: "l"},
		{name: "it is deleted", as: "ada", what: "DELETE /letters/{l}/", status: 204},
		{name: "not restored by a caller who could not delete it", as: "bob", what: "POST /letters/{l}/restore/", status: 404},
		{name: "its folder is deleted", as: "ada", what: "DELETE /folders/{a}/", status: 204},
		{name: "so it is not restored", as: "ada", what: "POST /letters/{l}/restore/", status: 409, has: "Restore that one first"},
		{name: "the folder is", as: "ada", what: "POST /folders/{a}/restore/", status: 204},
		{name: "then it is", as: "ada", what: "POST /letters/{l}/restore/", status: 204},
		{name: "and shown", what: "GET /letters/{l}/", status: 200, has: `"text":"l"`},

		{name: "the slip is deleted", as: "ada", what: "DELETE /slips/{t}/", status: 204},
		{name: "the letter goes", as: "ada", what: "DELETE /letters/{l}/", status: 204},
		{name: "its folder is deleted", as: "ada", what: "DELETE /folders/{a}/", status: 204},
		{name: "a row that may be without it is restored", as: "ada", what: "POST /slips/{t}/restore/", status: 204},
		{name: "without it", as: "ada", what: "GET /slips/{t}/", status: 200, has: `"folder_name":null`},
	})
}

// TestReferencesKeepRows: a row to which rows refer that the database would not leave alone is still_referenced, for each way to
// delete it. Deleted rows keep none.
func TestReferencesKeepRows(t *testing.T) {
	play(t, []step{
		{name: "a folder", as: "ada", what: "POST /folders/", body: `{"name":"a"}`, status: 201, keep: "a"},
		{name: "another one", as: "ada", what: "POST /folders/", body: `{"name":"b"}`, status: 201, keep: "b"},
		{name: "a letter", as: "ada", what: "POST /letters/", body: `{"folder":"{a}","text":"l"}`, status: 201, keep: "l"},
		{name: "the folder stays", as: "ada", what: "DELETE /folders/{a}/", status: 409, has: "still_referenced"},
		{name: "the answer names the viewset", as: "ada", what: "DELETE /folders/{a}/", status: 409, has: `"resource":"letters"`},
		{name: "with others too", as: "ada", what: "DELETE /folders/bulk/?id={b},{a}", status: 409, has: "still_referenced"},
		{name: "and each by itself", as: "ada", what: "DELETE /folders/bulk/each/?id={a}", status: 200, has: "still_referenced"},
		{name: "and by a function", as: "ada", what: "POST /folders/{a}/leave/", status: 409, has: "still_referenced"},
		{name: "both are there", as: "ada", what: "GET /folders/", status: 200, has: `"count":2`},
		{name: "the letter goes", as: "ada", what: "DELETE /letters/{l}/", status: 204},
		{name: "then the folder goes", as: "ada", what: "DELETE /folders/{a}/", status: 204},

		{name: "a folder in another one", as: "ada", what: "POST /folders/", body: `{"name":"c","parent":"{b}"}`, status: 201, keep: "c"},
		{name: "that one stays", as: "ada", what: "DELETE /folders/{b}/", status: 409, has: "still_referenced"},
		{name: "both go together", as: "ada", what: "DELETE /folders/bulk/?id={b},{c}", status: 204},
		{name: "the inner one alone is not restored", as: "ada", what: "POST /folders/{c}/restore/", status: 409, has: "Restore that one first"},
		{name: "the outer one is", as: "ada", what: "POST /folders/{b}/restore/", status: 204},
		{name: "then the inner one is", as: "ada", what: "POST /folders/{c}/restore/", status: 204},

		{name: "a label", as: "ada", what: "POST /labels/", body: `{"name":"x"}`, status: 201, keep: "x"},
		{name: "on a folder", as: "ada", what: "PUT /folders/{c}/labels/x/", status: 204},
		{name: "it stays", as: "ada", what: "DELETE /labels/{x}/", status: 409, has: "still_referenced"},
		{name: "it is taken off", as: "ada", what: "DELETE /folders/{c}/labels/x/", status: 204},
		{name: "then it goes", as: "ada", what: "DELETE /labels/{x}/", status: 204},
		{name: "and is on no folder", as: "ada", what: "PUT /folders/{c}/labels/x/", status: 404},
	})
}

// TestKeysOfDeletedRows: a key in the path that several rows have had is that of the row that exists; deleted ones are found
// by the time of their deletion.
func TestKeysOfDeletedRows(t *testing.T) {
	play(t, []step{
		{name: "a drawer", as: "bob", what: "POST /drawers/", body: `{"code":"d","text":"first"}`, status: 201},
		{name: "it is deleted", as: "bob", what: "DELETE /drawers/d/", status: 204},
		{name: "another one with its code", as: "bob", what: "POST /drawers/", body: `{"code":"d","text":"second"}`, status: 201},
		{name: "the code is that one's", as: "bob", what: "GET /drawers/d/", status: 200, has: "second"},
		{name: "the first one is not restored", as: "bob", what: "POST /drawers/d/restore/", status: 409, has: "not_unique"},
		{name: "a deleted one", as: "bob", what: "GET /drawers/d/?deleted=true", status: 200, has: "first"},
		{name: "the second one is deleted", as: "bob", what: "DELETE /drawers/d/", status: 204},
		{name: "it was deleted last", as: "bob", what: "GET /drawers/d/?deleted=true", status: 200, has: "second"},
		{name: "both are listed", as: "bob", what: "GET /drawers/?deleted=true", status: 200, has: `"count":2`},
		{name: "the last one is restored", as: "bob", what: "POST /drawers/d/restore/", status: 204},
		{name: "it is the second one", as: "bob", what: "GET /drawers/d/", status: 200, has: "second"},
		{name: "another caller finds none", as: "ada", what: "POST /drawers/d/restore/", status: 404},
	})
}

// TestNestedRows: rows below others are deleted, seen and restored below their parents alone.
func TestNestedRows(t *testing.T) {
	play(t, []step{
		{name: "a folder", as: "bob", what: "POST /folders/", body: `{"name":"a"}`, status: 201, keep: "a"},
		{name: "another one", as: "bob", what: "POST /folders/", body: `{"name":"b"}`, status: 201, keep: "b"},
		{name: "a sheet", as: "bob", what: "POST /folders/{a}/sheets/", body: `{"text":"one"}`, status: 201, keep: "s"},
		{name: "a second one", as: "bob", what: "POST /folders/{a}/sheets/", body: `{"text":"two"}`, status: 201, keep: "u"},
		{name: "one is deleted", as: "bob", what: "DELETE /folders/{a}/sheets/{s}/", status: 204},
		{name: "the other one is listed", as: "bob", what: "GET /folders/{a}/sheets/", status: 200, has: "two", lacks: "one"},
		{name: "the deleted one is seen", as: "bob", what: "GET /folders/{a}/sheets/?deleted=true", status: 200, has: "one", lacks: "two"},
		{name: "alone too", as: "bob", what: "GET /folders/{a}/sheets/{s}/?deleted=true", status: 200, has: "one"},
		{name: "not below another folder", as: "bob", what: "GET /folders/{b}/sheets/?deleted=true", status: 200, has: `"count":0`},
		{name: "nor alone", as: "bob", what: "GET /folders/{b}/sheets/{s}/?deleted=true", status: 404},
		{name: "nor for a caller without the folder", as: "eve", what: "GET /folders/{a}/sheets/?deleted=true", status: 404},
		{name: "nor restored there", as: "bob", what: "POST /folders/{b}/sheets/{s}/restore/", status: 404},
		{name: "nor by another caller", as: "ada", what: "POST /folders/{a}/sheets/{s}/restore/", status: 404},
		{name: "it is restored", as: "bob", what: "POST /folders/{a}/sheets/{s}/restore/", status: 204},
		{name: "both are listed", as: "bob", what: "GET /folders/{a}/sheets/", status: 200, has: `"count":2`},
		{name: "a deleted sheet of a deleted folder", as: "bob", what: "DELETE /folders/{a}/sheets/{s}/", status: 204},
		{name: "whose folder goes", as: "bob", what: "DELETE /folders/{a}/", status: 204},
		{name: "is not seen", as: "bob", what: "GET /folders/{a}/sheets/?deleted=true", status: 404},
		{name: "is not restored", as: "bob", what: "POST /folders/{a}/sheets/{s}/restore/", status: 404},
	})
}

// TestPagesOfDeletedRows: cursors and chosen members work for deleted rows, and a cursor does not lead from one list to the other.
func TestPagesOfDeletedRows(t *testing.T) {
	play(t, []step{
		{name: "a folder", as: "mod", what: "POST /folders/", body: `{"name":"a"}`, status: 201, keep: "a"},
		{name: "a letter", as: "mod", what: "POST /letters/", body: `{"folder":"{a}","text":"one"}`, status: 201, keep: "l1"},
		{name: "a second one", as: "mod", what: "POST /letters/", body: `{"folder":"{a}","text":"two"}`, status: 201, keep: "l2"},
		{name: "a third one", as: "mod", what: "POST /letters/", body: `{"folder":"{a}","text":"three"}`, status: 201, keep: "l3"},
		{name: "the first is deleted", as: "mod", what: "DELETE /letters/{l1}/", status: 204},
		{name: "the last is deleted", as: "mod", what: "DELETE /letters/{l3}/", status: 204},
		{name: "both are seen", as: "mod", what: "GET /letters/?deleted=true", status: 200, has: "three", lacks: "two"},
		{name: "with the members that are chosen", as: "mod", what: "GET /letters/?deleted=true&fields=text", status: 200, has: `{"text":"one"}`},
		{name: "of one row too", as: "mod", what: "GET /letters/{l1}/?deleted=true&fields=id&expand=folder_name", status: 200, has: `"folder_name":"a"`, lacks: "one"},
		{name: "a wrong member", as: "mod", what: "GET /letters/{l1}/?deleted=true&fields=x", status: 400},
		{name: "the one that is left", as: "mod", what: "GET /letters/", status: 200, has: "two", lacks: "one"},
	})
}

// TestListsOfChildren: lists in views and bodies leave deleted rows out. What a list in a body lacks is deleted softly, and can be restored. A deleted row
// keeps its lists, which are shown with it.
func TestListsOfChildren(t *testing.T) {
	play(t, []step{
		{name: "a binder with sheets", as: "bob", what: "POST /binders/", body: `{"name":"a","sheets":[{"text":"one"},{"text":"two"},{"text":"three"}]}`, status: 201, has: `"texts":["one","two","three"]`, keep: "a"},
		{name: "a letter in it", as: "bob", what: "POST /letters/", body: `{"folder":"{a}","text":"l"}`, status: 201, keep: "l"},
		{name: "it is counted", as: "bob", what: "GET /binders/{a}/", status: 200, has: `"letters":1`},
		{name: "the letter is deleted", as: "bob", what: "DELETE /letters/{l}/", status: 204},
		{name: "and no longer counted", as: "bob", what: "GET /binders/{a}/", status: 200, has: `"letters":0`},
		{name: "a sheet is deleted", as: "bob", what: "DELETE /folders/{a}/sheets/1/", status: 204},
		{name: "no list of an object has it", as: "bob", what: "GET /binders/{a}/", status: 200, has: `"texts":["two","three"]`, lacks: "one"},
		{name: "and no list of rows", as: "bob", what: "GET /binders/", status: 200, has: `"texts":["two","three"]`, lacks: "one"},
		{name: "and no export", as: "bob", what: "GET /binders/?format=ndjson", status: 200, has: `"texts":["two","three"]`, lacks: "one"},
		{name: "a body cannot name it", as: "bob", what: "PATCH /binders/{a}/", body: `{"sheets":[{"id":1,"text":"x"},{"id":2,"text":"two"}]}`, status: 400, has: "/sheets/0/id"},
		{name: "a body leaves one out", as: "bob", what: "PATCH /binders/{a}/", body: `{"sheets":[{"id":3,"text":"three"},{"text":"four"}]}`, status: 200, has: `"texts":["three","four"]`, lacks: "two"},
		{name: "it is deleted softly", as: "bob", what: "GET /folders/{a}/sheets/?deleted=true", status: 200, has: "two"},
		{name: "beside the other one", as: "bob", what: "GET /folders/{a}/sheets/?deleted=true", status: 200, has: `"count":2`},
		{name: "it is restored", as: "bob", what: "POST /folders/{a}/sheets/2/restore/", status: 204},
		{name: "and listed again", as: "bob", what: "GET /binders/{a}/", status: 200, has: `"texts":["two","three","four"]`, lacks: "one"},
		{name: "the binder is deleted", as: "bob", what: "DELETE /binders/{a}/", status: 204},
		{name: "with its sheets, which are not deleted", as: "bob", what: "GET /folders/{a}/sheets/", status: 404},
		{name: "no list has it", as: "bob", what: "GET /binders/", status: 200, has: `"count":0`},
		{name: "it gets no sheet", as: "bob", what: "PATCH /binders/{a}/", body: `{"sheets":[{"text":"five"}]}`, status: 404},
		{name: "it is restored", as: "bob", what: "POST /folders/{a}/restore/", status: 204},
		{name: "its lists are as they were", as: "bob", what: "GET /binders/{a}/", status: 200, has: `"texts":["two","three","four"]`, lacks: "one"},
		{name: "another caller does not see it", as: "ada", what: "GET /binders/{a}/", status: 404},
		{name: "all sheets go", as: "bob", what: "PATCH /binders/{a}/", body: `{"sheets":[]}`, status: 200, has: `"sheets":[]`},
		{name: "each can be seen", as: "bob", what: "GET /folders/{a}/sheets/?deleted=true", status: 200, has: `"count":4`},
	})
}
