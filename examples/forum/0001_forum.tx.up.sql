CREATE TABLE profiles (
    {{id}},
    user_id {{uuid}} NOT NULL UNIQUE REFERENCES auth_users (id),
    username {{text}} NOT NULL UNIQUE,
    bio {{text}} NOT NULL,
    email {{text}} NOT NULL
);

CREATE TABLE follows (
    {{id}},
    profile_id {{uuid}} NOT NULL REFERENCES profiles (id) ON DELETE CASCADE,
    user_id {{uuid}} NOT NULL REFERENCES auth_users (id),
    UNIQUE (profile_id, user_id)
);

CREATE TABLE boards (
    {{id}},
    slug {{text}} NOT NULL UNIQUE,
    title {{text}} NOT NULL,
    about {{text}} NOT NULL
);

CREATE TABLE links (
    {{id}},
    board_id {{uuid}} NOT NULL REFERENCES boards (id) ON DELETE CASCADE,
    place {{bigint}} NOT NULL,
    title {{text}} NOT NULL,
    url {{text}} NOT NULL
);

CREATE TABLE threads (
    {{id}},
    slug {{text}} NOT NULL UNIQUE,
    title {{text}} NOT NULL,
    closed {{bool}} NOT NULL,
    board_id {{uuid}} NOT NULL REFERENCES boards (id),
    author_id {{uuid}} NOT NULL REFERENCES profiles (user_id),
    created_at {{timestamp}} NOT NULL,
    deleted_at {{timestamp}}
);

CREATE TABLE tags (
    {{id}},
    name {{text}} NOT NULL UNIQUE
);

CREATE TABLE thread_tags (
    thread_id {{uuid}} NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    tag_id {{uuid}} NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
    PRIMARY KEY (thread_id, tag_id)
);

CREATE TABLE stars (
    {{id}},
    thread_id {{uuid}} NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    user_id {{uuid}} NOT NULL REFERENCES auth_users (id),
    UNIQUE (thread_id, user_id)
);

CREATE TABLE posts (
    {{id}},
    thread_id {{uuid}} NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    author_id {{uuid}} NOT NULL REFERENCES profiles (user_id),
    text {{text}} NOT NULL,
    created_at {{timestamp}} NOT NULL,
    updated_at {{timestamp}} NOT NULL,
    deleted_at {{timestamp}}
);

CREATE TABLE votes (
    {{id}},
    post_id {{uuid}} NOT NULL REFERENCES posts (id) ON DELETE CASCADE,
    user_id {{uuid}} NOT NULL REFERENCES auth_users (id),
    UNIQUE (post_id, user_id)
);

CREATE INDEX boards_title ON boards (title, id);
CREATE INDEX follows_user ON follows (user_id);
CREATE INDEX links_board ON links (board_id);
CREATE INDEX posts_thread ON posts (thread_id, created_at, id);
CREATE INDEX posts_author ON posts (author_id);
CREATE INDEX stars_user ON stars (user_id);
CREATE INDEX thread_tags_tag ON thread_tags (tag_id);
CREATE INDEX threads_created ON threads (created_at, id);
CREATE INDEX threads_title ON threads (title, id);
CREATE INDEX threads_author ON threads (author_id);
CREATE INDEX threads_board ON threads (board_id);
