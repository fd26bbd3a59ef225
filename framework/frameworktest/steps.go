package frameworktest

import (
	"strconv"

	"trestle.example/framework"
)

// steps is the pagination class in the suite for filters. Its pages are short, so that a
// list has several pages and its rows are counted.
type steps struct{}

const (
	stepParam = "frameworktest_step"
	stepSize  = 5
)

// A stepPage is the answer of steps.
type stepPage struct {
	Count int64     `json:"count"`
	More  bool      `json:"more"`
	Rows  []rowView `json:"rows"`
}

func (steps) Params() []framework.Param { return []framework.Param{{Name: stepParam}} }

func (steps) Window(v framework.Values) (framework.Window, error) {
	w := framework.Window{Limit: stepSize}
	if text := v[stepParam]; text != "" {
		step, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return w, framework.InvalidParameter(stepParam, "must be a whole number")
		}
		w.Offset = step * stepSize
	}
	return w, nil
}

func (steps) Envelope(p framework.Page) (framework.Envelope, error) {
	return framework.Envelope{
		{Name: "count", Value: p.Total.Count}, {Name: "more", Value: p.More}, {Name: "rows", Value: framework.Items{}},
	}, nil
}
