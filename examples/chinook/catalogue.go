package main

import (
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/decimal"
	"trestle.example/framework/filter"
)

// A Price is an amount of money in a column NUMERIC(10,2).
type Price = decimal.Of[priceScale]

type priceScale struct{}

// Format returns the format of a price.
func (priceScale) Format() decimal.Format {
	return decimal.Format{Digits: 10, Places: 2, Numeric: true}
}

// A Total is a sum of prices, or the price of several units. It may have more digits than a price.
type Total = decimal.Of[totalScale]

type totalScale struct{}

// Format returns the format of a total.
func (totalScale) Format() decimal.Format {
	return decimal.Format{Digits: 15, Places: 2, Numeric: true}
}

// An Artist is a row of the table artist.
type Artist struct {
	bun.BaseModel `bun:"table:artist"`

	ID   int32 `bun:"artist_id,pk,autoincrement"`
	Name *string

	Albums []*Album `bun:"rel:has-many,join:artist_id=artist_id"`
}

// An Album is a row of the table album.
type Album struct {
	bun.BaseModel `bun:"table:album"`

	ID       int32 `bun:"album_id,pk,autoincrement"`
	Title    string
	ArtistID int32

	Artist *Artist  `bun:"rel:belongs-to,join:artist_id=artist_id"`
	Tracks []*Track `bun:"rel:has-many,join:album_id=album_id"`
}

// A Genre is a row of the table genre.
type Genre struct {
	bun.BaseModel `bun:"table:genre"`

	ID   int32 `bun:"genre_id,pk,autoincrement"`
	Name *string
}

// A MediaType is a row of the table media_type.
type MediaType struct {
	bun.BaseModel `bun:"table:media_type"`

	ID   int32 `bun:"media_type_id,pk,autoincrement"`
	Name *string
}

// A Track is a row of the table track.
type Track struct {
	bun.BaseModel `bun:"table:track"`

	ID           int32 `bun:"track_id,pk,autoincrement"`
	Name         string
	AlbumID      *int32
	MediaTypeID  int32
	GenreID      *int32
	Composer     *string
	Milliseconds int32
	Bytes        *int32
	UnitPrice    Price

	Album     *Album      `bun:"rel:belongs-to,join:album_id=album_id"`
	MediaType *MediaType  `bun:"rel:belongs-to,join:media_type_id=media_type_id"`
	Genre     *Genre      `bun:"rel:belongs-to,join:genre_id=genre_id"`
	Playlists []*Playlist `bun:"m2m:playlist_track,join:Track=Playlist"`
}

// A Playlist is a row of the table playlist.
type Playlist struct {
	bun.BaseModel `bun:"table:playlist"`

	ID   int32 `bun:"playlist_id,pk,autoincrement"`
	Name *string

	Tracks []*Track `bun:"m2m:playlist_track,join:Playlist=Track"`
}

// A PlaylistTrack is a row of the join table playlist_track.
type PlaylistTrack struct {
	bun.BaseModel `bun:"table:playlist_track"`

	PlaylistID int32 `bun:",pk"`
	TrackID    int32 `bun:",pk"`

	Playlist *Playlist `bun:"rel:belongs-to,join:playlist_id=playlist_id"`
	Track    *Track    `bun:"rel:belongs-to,join:track_id=track_id"`
}

// NameInput is what clients write of an artist, a genre and a media type.
type NameInput struct {
	Name *string `validate:"required,line,max=120"`
}

// NamedView is a row with a name, and no more.
type NamedView struct {
	ID   int32
	Name *string
}

// ArtistView is an artist with the albums.
type ArtistView struct {
	NamedView
	Albums     []TitleView `from:"albums,order=title"`
	AlbumCount int64       `from:"count(albums)"`
}

// TitleView is an album within another row.
type TitleView struct {
	ID    int32
	Title string
}

// AlbumInput is what clients write of an album.
type AlbumInput struct {
	Title    string `validate:"required,line,max=160"`
	ArtistID int32  `validate:"required" ref:"artists"`
}

// AlbumView is an album with its artist and its tracks.
type AlbumView struct {
	ID           int32
	Title        string
	Artist       NamedView
	Tracks       []SongView
	TrackCount   int64 `from:"count(tracks)"`
	Milliseconds int64 `from:"sum(tracks.milliseconds)"`
	Price        Total `from:"sum(tracks.unit_price)"`
}

// SongView is a track within an album or a playlist.
type SongView struct {
	ID           int32
	Name         string
	Milliseconds int32
	UnitPrice    Price
}

// TrackInput is what clients write of a track.
type TrackInput struct {
	AlbumID *int32 `ref:"albums"`
	AlbumTrackInput
}

// AlbumTrackInput is what clients write of a track below its album. The path has the album.
type AlbumTrackInput struct {
	Name         string  `validate:"required,line,max=200"`
	MediaTypeID  int32   `validate:"required" ref:"media-types"`
	GenreID      *int32  `ref:"genres"`
	Composer     *string `validate:"filled,line,max=220"`
	Milliseconds int32   `validate:"required,min=1"`
	Bytes        *int32  `validate:"min=0"`
	UnitPrice    Price   `validate:"required,min=0"`
}

// TrackView is a track with what it belongs to.
type TrackView struct {
	ID           int32
	Name         string
	Album        *TitleView
	Artist       *string `from:"album.artist.name"`
	Genre        *string `from:"genre.name"`
	MediaType    *string `from:"media_type.name"`
	Composer     *string
	Milliseconds int32
	Bytes        *int32
	UnitPrice    Price
	Playlists    []*string `from:"playlists.name,order=name"`
}

// PlaylistInput is a playlist with the keys of its tracks.
type PlaylistInput struct {
	NameInput
	Tracks []int32 `to:"tracks,limit=200"`
}

// PlaylistView is a playlist with its tracks.
type PlaylistView struct {
	NamedView
	Tracks       []SongView `from:"tracks,order=name"`
	TrackCount   int64      `from:"count(tracks)"`
	Milliseconds int64      `from:"sum(tracks.milliseconds)"`
}

// catalogue lets everyone read, and employees write.
func catalogue() framework.Permission { return framework.OrReadOnly(framework.Staff()) }

// Artists serves /api/artists/.
var Artists = framework.ViewSet[Artist]{
	Name:       "artists",
	Verbs:      framework.CRUD[NameInput, ArtistView](),
	Scope:      framework.Public(),
	Permission: catalogue(),
	Relations:  framework.Relations{"albums": "albums"},
	Search:     framework.Search{Fields: []string{"name", "albums.title"}},
	Ordering:   framework.Ordering{Allowed: []string{"name"}, Default: "name"},
	Filters: []framework.Filter{
		filter.Exact("genre", "albums.tracks.genre.name"),
		filter.Min("min_albums", "album_count"),
	},
}

// Albums serves /api/albums/.
var Albums = framework.ViewSet[Album]{
	Name:       "albums",
	Verbs:      framework.CRUD[AlbumInput, AlbumView](),
	Scope:      framework.Public(),
	Permission: catalogue(),
	Relations:  framework.Relations{"artist": "artists", "tracks": "tracks"},
	Search:     framework.Search{Fields: []string{"title", "artist.name"}},
	Ordering:   framework.Ordering{Allowed: []string{"title", "artist.name", "price"}, Default: "title"},
	Filters: []framework.Filter{
		filter.Reference("artist_id", "artists"),
		filter.Exact("genre", "tracks.genre.name"),
		filter.Min("min_price", "price"),
		filter.Max("max_price", "price"),
	},
}

// Tracks serves /api/tracks/.
var Tracks = framework.ViewSet[Track]{
	Name:       "tracks",
	Verbs:      framework.CRUD[TrackInput, TrackView](),
	Scope:      framework.Public(),
	Permission: catalogue(),
	Relations: framework.Relations{
		"album": "albums", "media_type": "media-types", "genre": "genres", "playlists": "playlists",
	},
	Models: []any{(*PlaylistTrack)(nil)},
	Search: framework.Search{Fields: []string{"name", "composer", "album.title", "album.artist.name"}},
	Ordering: framework.Ordering{
		Allowed: []string{"name", "milliseconds", "unit_price", "album.title", "album.artist.name"},
		Default: "name",
	},
	Filters: []framework.Filter{
		filter.Reference("album_id", "albums"),
		filter.Exact("album", "album.title"),
		filter.Exact("artist", "album.artist.name"),
		filter.Exact("genre", "genre.name"),
		filter.In("media_type", "media_type.name"),
		filter.Exact("playlist", "playlists.name"),
		filter.Not(filter.Exact("not_in_playlist", "playlists.name")),
		filter.IsNull("no_album", "album.title"),
		filter.Min("min_price", "unit_price"),
		filter.Max("max_price", "unit_price"),
		filter.Range("milliseconds"),
	},
}

// AlbumTracks serves /api/albums/{id}/tracks/.
var AlbumTracks = framework.ViewSet[Track]{
	Name:       "tracks",
	Parent:     framework.Child("album", "albums"),
	Verbs:      framework.CRUD[AlbumTrackInput, TrackView](),
	Scope:      framework.Public(),
	Permission: catalogue(),
	Relations: framework.Relations{
		"album": "albums", "media_type": "media-types", "genre": "genres", "playlists": "playlists",
	},
	Models:   []any{(*PlaylistTrack)(nil)},
	Ordering: framework.Ordering{Allowed: []string{"name", "milliseconds"}, Default: "name"},
	Filters:  []framework.Filter{filter.Exact("playlist", "playlists.name"), filter.Range("milliseconds")},
}

// Genres serves /api/genres/.
var Genres = framework.ViewSet[Genre]{
	Name:       "genres",
	Verbs:      framework.CRUD[NameInput, NamedView](),
	Scope:      framework.Public(),
	Permission: catalogue(),
	Ordering:   framework.Ordering{Default: "name"},
}

// MediaTypes serves /api/media-types/.
var MediaTypes = framework.ViewSet[MediaType]{
	Name:       "media-types",
	Verbs:      framework.CRUD[NameInput, NamedView](),
	Scope:      framework.Public(),
	Permission: catalogue(),
	Ordering:   framework.Ordering{Default: "name"},
}

// Playlists serves /api/playlists/.
var Playlists = framework.ViewSet[Playlist]{
	Name:       "playlists",
	Verbs:      framework.CRUD[PlaylistInput, PlaylistView](),
	Scope:      framework.Public(),
	Permission: catalogue(),
	Relations:  framework.Relations{"tracks": "tracks"},
	Models:     []any{(*PlaylistTrack)(nil)},
	Ordering:   framework.Ordering{Allowed: []string{"name", "track_count"}, Default: "name"},
	Filters:    []framework.Filter{filter.Exact("track", "tracks.name"), filter.Exact("artist", "tracks.album.artist.name")},
	Actions:    []framework.Action[Playlist]{framework.Links[Playlist]("tracks")},
}
