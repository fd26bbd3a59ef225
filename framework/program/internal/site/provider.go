package site

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework"
	"trestle.example/framework/auth/oidc"
	"trestle.example/framework/httpserver"
	"trestle.example/framework/program/internal/exit"
)

// CollectBeside returns what is served beside an API: what the project declares, and the sign-in
// by the identity provider of the settings. A path of the API that the server answers itself is an error, and so
// is a mistake in the declarations of an API beside it.
func (s *Site) CollectBeside(api *framework.API) (beside Beside, err error) {
	for _, r := range api.Routes() {
		if path := strings.TrimSuffix(r.Path, "/"); httpserver.IsHealthPath(path) {
			return Beside{}, fmt.Errorf("%s: the server's own health is at %q; choose another name", r.ViewSet, path)
		}
	}
	if s.Beside != nil {
		if beside, err = s.Beside(api, s); err != nil {
			return Beside{}, err
		}
	}
	if err := s.checkConsole(beside.Handlers); err != nil {
		return Beside{}, err
	}
	for _, further := range beside.APIs {
		if err := further.Check(); err != nil {
			return Beside{}, err
		}
	}
	if providers := s.Providers(); len(providers) > 0 {
		return s.addProviders(api, beside, providers)
	}
	return beside, nil
}

// APIs returns the API and those beside it. An error is a mistake in their declarations.
func (s *Site) APIs() ([]*framework.API, error) {
	api := s.API()
	if err := api.Check(); err != nil {
		return nil, err
	}
	beside, err := s.CollectBeside(api)
	return append([]*framework.API{api}, beside.APIs...), err
}

// MissingColumns lists the tables and columns that the declarations of the APIs need and the
// database lacks, each once.
func (s *Site) MissingColumns(ctx context.Context, apis ...*framework.API) (all []framework.MissingColumn, err error) {
	for _, api := range apis {
		missing, err := api.MissingColumns(ctx)
		if err != nil {
			return nil, err
		}
		for _, m := range missing {
			same := func(other framework.MissingColumn) bool { return other.Table == m.Table && other.Column == m.Column }
			if !slices.ContainsFunc(all, same) {
				all = append(all, m)
			}
		}
	}
	return all, nil
}

// addProviders adds the sign-in by identity providers to what the project declares.
func (s *Site) addProviders(api *framework.API, beside Beside, providers []oidc.Provider) (Beside, error) {
	pattern := api.Prefix() + "/auth/oidc/"
	if beside.Handlers[pattern] != nil {
		return Beside{}, exit.Misused("%s", s.Text("{PROGRAM}_OIDC_ISSUER is set, and the program declares identity providers of its own; leave the settings of the identity provider out"))
	}
	signIn, err := oidc.New(s.Identity, oidc.Options{Providers: providers, Counters: s.counters, Log: s.Log})
	if err != nil {
		return Beside{}, err
	}
	handler, err := signIn.Handler(api)
	if err != nil {
		return Beside{}, err
	}
	all := map[string]http.Handler{pattern: handler}
	maps.Copy(all, beside.Handlers)
	return Beside{
		Handlers: all, APIs: beside.APIs, Checks: append(slices.Clip(beside.Checks), httpserver.Check{Name: "oidc", Degrades: true, Run: signIn.Ready}),
	}, nil
}

// addProviderCodes adds the errors of a sign-in by the identity provider of the settings, without
// those that the project explains itself.
func (s *Site) addProviderCodes(codes []framework.CodeInfo) []framework.CodeInfo {
	if len(s.Providers()) == 0 {
		return codes
	}
	all := slices.Clone(codes)
	for _, code := range oidc.Codes() {
		if !slices.ContainsFunc(codes, func(own framework.CodeInfo) bool { return own.Code == code.Code }) {
			all = append(all, code)
		}
	}
	return all
}
