package console

import (
	"time"
	_ "time/tzdata" // a machine may have no table of time zones
)

// zoneCookie has the name of the time zone of the browser, which the script sets. Without it, times are in UTC.
const zoneCookie = "zone"

// zoneField is the name of the field of a form with its time zone.
const zoneField = "~zone"

// zone returns the time zone of the person: that of the form that is sent, or that of the browser.
func (v *visit) zone() *time.Location {
	if v.in != nil {
		return v.in
	}
	name := v.r.PostFormValue(zoneField)
	if c, err := v.r.Cookie(zoneCookie); name == "" && err == nil {
		name = c.Value
	}
	v.in = time.UTC
	if zone, err := time.LoadLocation(name); err == nil && name != "Local" {
		v.in = zone
	}
	return v.in
}
