package attachment

import (
	"time"

	"trestle.example/framework/internal/modelhook"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
)

// mostSigned is the longest time for which a URL may be signed.
const mostSigned = 7 * 24 * time.Hour

// Check reports the mistakes in the declaration of a file.
func Check(f *table.FileColumn, fault func(error)) {
	modelhook.OfSelect().Check(f.Resource.Model, fault)
	modelhook.OfUpdate().Check(f.Resource.Model, fault)
	if f.Storage == nil {
		fault(naming.Sentence("it has no Storage; open one, such as files.OpenDisk"))
	}
	if f.MaxBytes <= 0 {
		fault(naming.Sentence("MaxBytes is %d; set the greatest length of a content in bytes", f.MaxBytes))
	}
	checkTypes(f, fault)
	checkSigned(f, fault)
	for _, r := range f.Resource.API.Resources {
		for _, other := range r.Files {
			if other.Column == f.Column && other != f && other.Storage != nil && f.Storage != nil && other.Storage != f.Storage {
				fault(naming.Sentence("%s of %s is the same column in another storage; give both one storage", other.Place(), r.Path))
			}
		}
	}
}

// checkTypes reports media types that are malformed, or that no content can have.
func checkTypes(f *table.FileColumn, fault func(error)) {
	if len(f.Types) == 0 {
		fault(naming.Sentence(`it has no Types; list the allowed media types, such as "image/png"`))
	}
	safe := false
	for _, one := range f.Types {
		safe = safe || IsSafeInline(one)
		if err := CheckType(one); err != nil {
			fault(err)
		}
	}
	if f.Inline && !safe && len(f.Types) > 0 {
		fault(naming.Sentence("Inline has no effect: browsers download all of its types; leave it out"))
	}
}

// checkSigned reports signed URLs that cannot be valid.
func checkSigned(f *table.FileColumn, fault func(error)) {
	switch {
	case f.SignFor == 0:
	case f.SignFor < time.Second || f.SignFor > mostSigned:
		fault(naming.Sentence("SignFor is %s; it must be 1 second to 7 days, or 0 for URLs that need credentials", f.SignFor))
	case f.Resource.Declaration.Single:
		fault(naming.Sentence("SignFor needs a key in the path, and a single resource has none; leave it out"))
	case len(f.Resource.API.Config.FileKeys) == 0:
		fault(naming.Sentence("SignFor needs a secret key; set FileKeys in framework.Config"))
	}
}
