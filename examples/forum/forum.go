package main

import (
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/filter"
)

// moderate is the permission of moderators, who may change everything.
const moderate = "forum.moderate"

// softly lets moderators see and restore what is deleted.
var softly = framework.SoftDelete{Restore: framework.Holds(moderate), Deleted: framework.Holds(moderate)}

// A ProfileInput is what users write of themselves.
type ProfileInput struct {
	Username string `json:"username" validate:"required,alphanum,min=2,max=30"`
	Bio      string `json:"bio"      validate:"max=500"`
	Email    string `json:"email"    validate:"omitempty,email,max=200"`
}

// A ProfileView is what users see of themselves.
type ProfileView struct {
	ID uuid.UUID `json:"id"`
	ProfileInput
}

// Me serves /api/profile/, the caller's own profile.
var Me = framework.ViewSet[Profile]{
	Name:   "profile",
	Single: true,
	Wrap:   "profile",
	Verbs: framework.Verbs{
		Retrieve: framework.Shows[ProfileView](),
		Update:   framework.Accepts[ProfileInput, ProfileView](),
		Patch:    framework.Accepts[ProfileInput, ProfileView](),
	},
	Scope:      framework.Own((*Profile).user),
	Permission: framework.Authenticated(),
	Uniques:    []framework.Unique{{Fields: []string{"username"}, Code: "username_taken", Detail: "Another user has this name."}},
}

// A MemberView is what all callers see of a user.
type MemberView struct {
	Username  string `json:"username"`
	Bio       string `json:"bio"`
	Email     string `json:"email"`
	Threads   int64  `json:"threads"   from:"count(threads)"`
	Followers int64  `json:"followers" from:"count(followers)"`
	Following bool   `json:"following" from:"exists(followers,mine)"`
}

// Members serves /api/members/ and /api/members/{username}/.
var Members = framework.ViewSet[Profile]{
	Name:      "members",
	Lookup:    "username",
	Wrap:      "member",
	WrapList:  "members",
	Verbs:     framework.ReadOnly[MemberView](),
	Scope:     framework.Public(),
	Relations: framework.Relations{"threads": "threads", "followers": "follows"},
	Ordering:  framework.Ordering{Allowed: []string{"username", "threads", "followers"}, Default: "username"},
	Search:    framework.Search{Fields: []string{"username", "bio"}},
	Select:    framework.Select{Fields: true},
	Filters:   []framework.Filter{filter.Exact("following")},
	Actions:   []framework.Action[Profile]{framework.Toggle[Profile, MemberView]("follow", "followers", "user_id")},
	Fields:    []framework.FieldRule{framework.Sees("email", framework.Holds(moderate))},
}

// An EntryView is the user of a follow, a star or a vote.
type EntryView struct {
	UserID uuid.UUID `json:"user"`
}

// stars is how many stars a user has, so that one is worth something.
const stars = 3

// entries is the viewset of follows, stars or votes, which each user toggles at another viewset. A user has at most some, 0 for no limit.
func entries[M any](name string, user func(*M) *uuid.UUID, most int) framework.ViewSet[M] {
	return framework.ViewSet[M]{
		Name:    name,
		Verbs:   framework.Verbs{List: framework.Shows[EntryView]()},
		Scope:   framework.Public(),
		Writers: framework.Own(user),
		Quota:   framework.Quota{Rows: most},
	}
}

// A LinkInput is a link of a board. One with an id changes the link that has it.
type LinkInput struct {
	ID    framework.Optional[uuid.UUID] `json:"id"`
	Title string                        `json:"title" validate:"required,line,max=100"`
	URL   string                        `json:"url"   validate:"required,https_url,max=500"`
}

// A LinkView is a link of a board.
type LinkView struct {
	ID    uuid.UUID `json:"id"`
	Title string    `json:"title"`
	URL   string    `json:"url"`
}

// A BoardInput is what moderators write of a board.
type BoardInput struct {
	Title string      `json:"title" validate:"required,line,max=100"`
	About string      `json:"about" validate:"max=500"`
	Links []LinkInput `json:"links" to:"links,limit=5,position=place"`
}

// A BoardView is a board with its links.
type BoardView struct {
	ID      uuid.UUID  `json:"id"`
	Slug    string     `json:"slug"`
	Title   string     `json:"title"`
	About   string     `json:"about"`
	Threads int64      `json:"threads" from:"count(threads)"`
	Links   []LinkView `json:"links"   from:"links,order=place"`
}

// Boards serves /api/boards/, which moderators write.
var Boards = framework.ViewSet[Board]{
	Name:       "boards",
	Lookup:     "slug",
	Slug:       framework.Slug{Field: "slug", From: "title"},
	Wrap:       "board",
	WrapList:   "boards",
	Verbs:      framework.CRUD[BoardInput, BoardView](),
	Scope:      framework.Public(),
	Permission: framework.OrReadOnly(framework.Holds(moderate)),
	Relations:  framework.Relations{"threads": "threads", "links": framework.OfRow},
	Ordering:   framework.Ordering{Allowed: []string{"title", "threads"}, Default: "title"},
}

// A ThreadInput is what authors write of a thread.
type ThreadInput struct {
	Title   string    `json:"title" validate:"required,line,max=200"`
	BoardID uuid.UUID `json:"board" validate:"required" ref:"boards"`
	Tags    []string  `json:"tags"  to:"tags.name,create,limit=5" validate:"dive,required,line,max=30"`
	Closed  bool      `json:"closed"`
}

// A ThreadView is a thread with its author, its board and its newest posts.
type ThreadView struct {
	Slug      string     `json:"slug"`
	Title     string     `json:"title"`
	Closed    bool       `json:"closed"`
	Board     string     `json:"board"  from:"board.slug"`
	Author    *string    `json:"author" from:"author.username"`
	Tags      []string   `json:"tags"   from:"tags.name,order=name"`
	Posts     int64      `json:"posts"  from:"count(posts)"`
	Latest    []PostView `json:"latest" from:"posts,order=-created_at,limit=3"`
	Stars     int64      `json:"stars"  from:"count(stars)"`
	Starred   bool       `json:"starred" from:"exists(stars,mine)"`
	CreatedAt time.Time  `json:"created_at"`
}

// Threads serves /api/threads/ and /api/threads/following/.
var Threads = framework.ViewSet[Thread]{
	Name:       "threads",
	Lookup:     "slug",
	Slug:       framework.Slug{Field: "slug", From: "title"},
	Reserved:   []string{"following", "starred", "totals"},
	Wrap:       "thread",
	WrapList:   "threads",
	Verbs:      framework.CRUD[ThreadInput, ThreadView](),
	Scope:      framework.Public(),
	Writers:    framework.Own((*Thread).author).Unless(framework.Holds(moderate)),
	SoftDelete: softly,
	Relations:  framework.Relations{"board": "boards", "author": "members", "tags": "tags", "posts": "threads/{}/posts", "stars": "stars"},
	Models:     []any{(*ThreadTag)(nil)},
	Ordering:   framework.Ordering{Allowed: []string{"created_at", "title", "author.username", "posts", "stars"}, Default: "-created_at"},
	Totals:     framework.Totals{By: []string{"board.slug", "author.username"}, Sum: []string{"posts"}, Max: []string{"created_at"}},
	Search:     framework.Search{Fields: []string{"title", "author.username"}},
	Filters: []framework.Filter{
		filter.Exact("board", "board.slug"),
		filter.Exact("author", "author.username"),
		filter.Exact("tag", "tags.name"),
		filter.Not(filter.Exact("without_tag", "tags.name")),
		filter.Min("min_stars", "stars"),
		filter.Exact("starred"),
	},
	Actions: []framework.Action[Thread]{framework.Toggle[Thread, ThreadView]("star", "stars", "user_id"), framework.Links[Thread]("tags.name")},
	Collection: []framework.CollectionAction{
		framework.Lists[ThreadView]("following").Where("exists(author.followers,mine)").Permit(framework.Authenticated()),
	},
	Fields: []framework.FieldRule{framework.Writes("closed", framework.Holds(moderate))},
}

// A TagView is a tag with the number of its threads.
type TagView struct {
	Name string `json:"name"`
}

// Tags serves /api/tags/.
var Tags = framework.ViewSet[Tag]{
	Name:     "tags",
	Lookup:   "name",
	WrapList: "tags",
	Verbs:    framework.ReadOnly[TagView](),
	Scope:    framework.Public(),
	Ordering: framework.Ordering{Default: "name"},
	Cache:    framework.Cache{For: time.Minute},
}

// A PostInput is what authors write.
type PostInput struct {
	Text string `json:"text" validate:"required,max=10000"`
}

// A PostView is a post with its votes.
type PostView struct {
	ID        uuid.UUID `json:"id"`
	Text      string    `json:"text"`
	Author    *string   `json:"author" from:"author.username"`
	Votes     int64     `json:"votes"  from:"count(votes)"`
	Voted     bool      `json:"voted"  from:"exists(votes,mine)"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Posts serves /api/threads/{slug}/posts/ and /api/threads/{slug}/posts/{id}/.
var Posts = framework.ViewSet[Post]{
	Name:       "posts",
	Parent:     framework.Child("thread", "threads"),
	Wrap:       "post",
	WrapList:   "posts",
	Verbs:      framework.CRUD[PostInput, PostView](),
	Scope:      framework.Public(),
	Writers:    framework.Own((*Post).author).Unless(framework.Holds(moderate)),
	SoftDelete: softly,
	Relations:  framework.Relations{"author": "members", "votes": "votes"},
	Ordering:   framework.Ordering{Allowed: []string{"created_at", "votes"}, Default: "created_at"},
	Filters:    []framework.Filter{filter.Exact("author", "author.username"), filter.Exact("voted")},
	Actions:    []framework.Action[Post]{framework.Toggle[Post, PostView]("vote", "votes", "user_id")},
}
