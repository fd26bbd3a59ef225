-- Counts one request of a key if its rate allows it.
--
-- KEYS[1]: the key. ARGV: the limit, the window and its grain in microseconds.
-- Returns whether it passed (1 or 0), how many requests count now, and the
-- microseconds until the oldest one no longer counts.
--
-- The value is a list of pairs, the oldest first: when requests stop counting, and how
-- many. Package throttle has the same algorithm in Go.

local limit, window, grain = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])

-- All requests stop counting by then, except requests that were counted before
-- somebody set the clock back.
local latest = now + grain - 1 + window

local marks, used = {}, 0
local stored = redis.call('GET', KEYS[1])
if stored then
	local old = cmsgpack.unpack(stored)
	for i = 1, #old, 2 do
		if old[i] > now then
			marks[#marks + 1] = math.min(old[i], latest)
			marks[#marks + 1] = old[i + 1]
			used = used + old[i + 1]
		end
	end
end

if used >= limit then
	return {0, used, marks[1] - now}
end

local up = now + grain - 1
local till = up - up % grain + window
if #marks > 0 and marks[#marks - 1] >= till then
	marks[#marks] = marks[#marks] + 1
else
	marks[#marks + 1] = till
	marks[#marks + 1] = 1
end
redis.call('SET', KEYS[1], cmsgpack.pack(marks), 'PX', math.ceil((marks[#marks - 1] - now) / 1000))
return {1, used + 1, marks[1] - now}
