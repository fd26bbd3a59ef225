package main

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// A Profile is what others see of a user.
type Profile struct {
	bun.BaseModel `bun:"table:profiles"`

	ID       uuid.UUID `bun:",pk"`
	UserID   uuid.UUID
	Username string
	Bio      string
	Email    string // for moderators

	Threads   []*Thread `bun:"rel:has-many,join:user_id=author_id"`
	Followers []*Follow `bun:"rel:has-many,join:id=profile_id"`
}

// A Follow is a user who follows a profile.
type Follow struct {
	bun.BaseModel `bun:"table:follows"`

	ID        uuid.UUID `bun:",pk"`
	ProfileID uuid.UUID
	UserID    uuid.UUID
}

// A Board has threads about one subject.
type Board struct {
	bun.BaseModel `bun:"table:boards"`

	ID    uuid.UUID `bun:",pk"`
	Slug  string
	Title string
	About string

	Threads []*Thread `bun:"rel:has-many,join:id=board_id"`
	Links   []*Link   `bun:"rel:has-many,join:id=board_id"`
}

// A Link leads from a board to another page.
type Link struct {
	bun.BaseModel `bun:"table:links"`

	ID      uuid.UUID `bun:",pk"`
	BoardID uuid.UUID
	Place   int64
	Title   string
	URL     string
}

// A Thread is a question or a subject, with posts below it.
type Thread struct {
	bun.BaseModel `bun:"table:threads"`

	ID        uuid.UUID `bun:",pk"`
	Slug      string
	Title     string
	Closed    bool
	BoardID   uuid.UUID
	AuthorID  uuid.UUID
	CreatedAt time.Time
	DeletedAt time.Time `bun:",soft_delete,nullzero"`

	Board  *Board   `bun:"rel:belongs-to,join:board_id=id"`
	Author *Profile `bun:"rel:belongs-to,join:author_id=user_id"`
	Posts  []*Post  `bun:"rel:has-many,join:id=thread_id"`
	Tags   []*Tag   `bun:"m2m:thread_tags,join:Thread=Tag"`
	Stars  []*Star  `bun:"rel:has-many,join:id=thread_id"`
}

// A Tag is a word that finds threads.
type Tag struct {
	bun.BaseModel `bun:"table:tags"`

	ID   uuid.UUID `bun:",pk"`
	Name string
}

// A ThreadTag is a tag of a thread.
type ThreadTag struct {
	bun.BaseModel `bun:"table:thread_tags"`

	ThreadID uuid.UUID `bun:",pk"`
	Thread   *Thread   `bun:"rel:belongs-to,join:thread_id=id"`
	TagID    uuid.UUID `bun:",pk"`
	Tag      *Tag      `bun:"rel:belongs-to,join:tag_id=id"`
}

// A Star is a user who follows a thread.
type Star struct {
	bun.BaseModel `bun:"table:stars"`

	ID       uuid.UUID `bun:",pk"`
	ThreadID uuid.UUID
	UserID   uuid.UUID
}

// A Post is one answer in a thread.
type Post struct {
	bun.BaseModel `bun:"table:posts"`

	ID        uuid.UUID `bun:",pk"`
	ThreadID  uuid.UUID
	AuthorID  uuid.UUID
	Text      string
	CreatedAt time.Time
	UpdatedAt time.Time
	DeletedAt time.Time `bun:",soft_delete,nullzero"`

	Thread *Thread  `bun:"rel:belongs-to,join:thread_id=id"`
	Author *Profile `bun:"rel:belongs-to,join:author_id=user_id"`
	Votes  []*Vote  `bun:"rel:has-many,join:id=post_id"`
}

// A Vote is a user who found a post helpful.
type Vote struct {
	bun.BaseModel `bun:"table:votes"`

	ID     uuid.UUID `bun:",pk"`
	PostID uuid.UUID
	UserID uuid.UUID
}

func (p *Profile) user() *uuid.UUID  { return &p.UserID }
func (f *Follow) user() *uuid.UUID   { return &f.UserID }
func (t *Thread) author() *uuid.UUID { return &t.AuthorID }
func (s *Star) user() *uuid.UUID     { return &s.UserID }
func (p *Post) author() *uuid.UUID   { return &p.AuthorID }
func (v *Vote) user() *uuid.UUID     { return &v.UserID }
