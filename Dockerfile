# A static program in an empty image: no shell, no packages, no root.
#
#	docker build --tag trestle:local .
#	docker run --publish 127.0.0.1:8080:8080 --volume trestle:/data \
#		--env TRESTLE_ENV=development trestle:local
#
# The same flags build it everywhere to the same bytes: make reproducible.
FROM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -o /out/trestle ./cmd/trestle \
	&& mkdir -p /out/own && mkdir -m 0700 /out/own/data /out/own/tmp

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /usr/local/go/lib/time/zoneinfo.zip /zoneinfo.zip
COPY --from=build /out/trestle /trestle
COPY --from=build --chown=10001:10001 /out/own/ /
USER 10001:10001
ENV ZONEINFO=/zoneinfo.zip \
	DATABASE_URL=sqlite:///data/trestle.db \
	TRESTLE_ADDR=:8080 \
	TRESTLE_ENV=production \
	TRESTLE_LOG=json
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["/trestle", "health"]
ENTRYPOINT ["/trestle"]
CMD ["serve", "--migrate"]
