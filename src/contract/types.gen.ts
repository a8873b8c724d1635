// Generated from openapi.yaml by npm run generate; not to be edited.
export interface paths {
    "/plants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List plants
         * @description A page of the store's plants, ascending by id over the whole int64 range. While there is more, the Link header names the next page (RFC 8288). A plant that exists throughout the walk is neither skipped nor repeated.
         */
        get: operations["listPlants"];
        put?: never;
        /**
         * Create a plant
         * @description Creates a new plant in the store. The client chooses the id, so it is the idempotency key: the same id with the same name and tag is 200 again and stores nothing new; the same id with another name or tag is 400 / 40009 and changes nothing. Members of the body that the schema does not name are ignored.
         */
        post: operations["createPlant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plants/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The plant's id in plain decimal notation: no plus sign, no leading zero, no fraction, no exponent. Anything else is 400 / 40006.
                 * @example 12
                 */
                id: components["schemas"]["PlantId"];
            };
            cookie?: never;
        };
        /**
         * Read a plant
         * @description The plant, with its entity tag. If-None-Match makes the request conditional (RFC 9110, section 13.1.2).
         */
        get: operations["getPlant"];
        /**
         * Replace a plant
         * @description Replaces the name and the tag of a plant that exists; it never creates one. Without a tag in the body, the plant has none afterwards. If-Match makes the request conditional (RFC 9110, section 13.1.1).
         */
        put: operations["replacePlant"];
        post?: never;
        /**
         * Delete a plant
         * @description Deletes a plant durably. Its id may then be used again.
         */
        delete: operations["deletePlant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * Format: int64
         * @description Identification number of the plant, exact over the whole int64 range. `12.0` and `1.2e1` are the integer 12 in JSON.
         */
        PlantId: bigint;
        /** @description Unicode text of up to 1,024 characters (code points), without U+0000 or unpaired surrogates. */
        Text: string;
        /** @description Entity tags, such as "a1", "b2", or * alone (RFC 9110, section 13.1). */
        EntityTags: string;
        /**
         * @description What a plant is, without its id.
         * @example {
         *       "name": "Aloe vera",
         *       "tag": "succulent"
         *     }
         */
        Plant: {
            /** @description The name of the plant */
            name: components["schemas"]["Text"];
            /** @description Tag that specifies the type of the plant */
            tag?: components["schemas"]["Text"];
        };
        /**
         * @description A plant to create, with the id that the client chooses.
         * @example {
         *       "id": 12,
         *       "name": "Aloe vera",
         *       "tag": "succulent"
         *     }
         */
        NewPlant: {
            /** @description Identification number of the plant */
            id: components["schemas"]["PlantId"];
            /** @description The name of the plant */
            name: components["schemas"]["Text"];
            /** @description Tag that specifies the type of the plant */
            tag?: components["schemas"]["Text"];
        };
        /**
         * @description A plant as it is stored, with its id.
         * @example {
         *       "id": 12,
         *       "name": "Aloe vera",
         *       "tag": "succulent"
         *     }
         */
        StoredPlant: {
            /** @description Identification number of the plant */
            id: components["schemas"]["PlantId"];
            /** @description The name of the plant */
            name: components["schemas"]["Text"];
            /** @description Tag that specifies the type of the plant */
            tag?: components["schemas"]["Text"];
        };
        /** @description What went wrong, in one shape at every status and for every path. */
        Error: {
            /**
             * Format: int32
             * @description Numeric error value, the HTTP status followed by two digits
             * @example 40401
             */
            error: number;
            /**
             * @description Error message text
             * @example There is no plant 12.
             */
            message: string;
        };
    };
    responses: {
        /** @description The create request is at fault; nothing was stored. `error` says which rule it broke; `message` names every field that is wrong. */
        CreateRefused: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Request-Id": components["headers"]["RequestId"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Access-Control-Allow-Origin": components["headers"]["AllowOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["ExposeHeaders"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request is at fault; nothing was changed. */
        ReplaceRefused: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Request-Id": components["headers"]["RequestId"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Access-Control-Allow-Origin": components["headers"]["AllowOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["ExposeHeaders"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A query or header parameter is at fault. */
        ListRefused: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Request-Id": components["headers"]["RequestId"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Access-Control-Allow-Origin": components["headers"]["AllowOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["ExposeHeaders"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A path or header parameter is at fault. */
        IdRefused: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Request-Id": components["headers"]["RequestId"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Access-Control-Allow-Origin": components["headers"]["AllowOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["ExposeHeaders"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no valid credential. `WWW-Authenticate` says how to send one (RFC 6750). */
        Unauthenticated: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                "Cache-Control": components["headers"]["NoStore"];
                "X-Request-Id": components["headers"]["RequestId"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Access-Control-Allow-Origin": components["headers"]["AllowOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["ExposeHeaders"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The credential lacks a scope (RFC 6750, section 3.1). */
        Forbidden: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                "Cache-Control": components["headers"]["NoStore"];
                "X-Request-Id": components["headers"]["RequestId"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Access-Control-Allow-Origin": components["headers"]["AllowOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["ExposeHeaders"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The store holds no plant with this id. */
        NoSuchPlant: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Request-Id": components["headers"]["RequestId"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Access-Control-Allow-Origin": components["headers"]["AllowOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["ExposeHeaders"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `If-Match` does not name the current version of the plant; nothing was changed. */
        PreconditionFailed: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Request-Id": components["headers"]["RequestId"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Access-Control-Allow-Origin": components["headers"]["AllowOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["ExposeHeaders"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The credential has used up its rate limit. */
        TooManyRequests: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                "Cache-Control": components["headers"]["NoStore"];
                "X-Request-Id": components["headers"]["RequestId"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Access-Control-Allow-Origin": components["headers"]["AllowOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["ExposeHeaders"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A fault of the service, logged under the request id. */
        OurFault: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Request-Id": components["headers"]["RequestId"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Access-Control-Allow-Origin": components["headers"]["AllowOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["ExposeHeaders"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The store cannot take the request now, or the issuer of a JWT cannot be asked for its keys. It is safe to repeat the request. */
        Unavailable: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                "Cache-Control": components["headers"]["NoStore"];
                "X-Request-Id": components["headers"]["RequestId"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Access-Control-Allow-Origin": components["headers"]["AllowOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["ExposeHeaders"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /** @description Act only if the plant's current entity tag is among these, or, with `*`, whatever it is; otherwise 412 / 41200. A plant that does not exist is still 404 / 40401. */
        IfMatch: components["schemas"]["EntityTags"];
        /** @description Answer 304 if the plant's current entity tag is among these, or, with `*`, if the plant exists. */
        IfNoneMatch: components["schemas"]["EntityTags"];
    };
    requestBodies: never;
    headers: {
        /**
         * @description The caller's own X-Request-Id when it is 1 to 128 characters of A-Z a-z 0-9 . _ ~ -; otherwise one made by the service.
         * @example 5f0c9a-1
         */
        RequestId: string;
        /**
         * @description The media type is what it says.
         * @example nosniff
         */
        NoSniff: "nosniff";
        /**
         * @description Pages of any origin may read the answer (without browser credentials).
         * @example *
         */
        AllowOrigin: "*";
        /**
         * @description The header fields that a page of another origin may read.
         * @example ETag, Location, Link, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate, X-Request-Id
         */
        ExposeHeaders: string;
        /**
         * @description Caches must not store the answer.
         * @example no-store
         */
        NoStore: "no-store";
        /**
         * @description Only the client that made the request may cache the answer, and must revalidate it by its entity tag before each use.
         * @example private, no-cache
         */
        Revalidate: "private, no-cache";
        /**
         * @description Where the plant can be read; relative unless the service has a base URL.
         * @example /plants/12
         */
        Location: string;
        /**
         * @description The next page, with rel="next", while there is more (RFC 8288); relative unless the service has a base URL.
         * @example </plants?limit=100&after=AAAAAAAAAAzqW0mZ3n8Qq1c5p7u2rVtB>; rel="next"
         */
        NextPage: string;
        /**
         * @description The strong entity tag of this version of the plant (RFC 9110, section 8.8.3).
         * @example "1"
         */
        ETag: string;
        /**
         * @description How to authenticate, and why the credential was refused (RFC 6750, section 3).
         * @example Bearer realm="plant-store", error="invalid_token"
         */
        WWWAuthenticate: string;
        /**
         * @description Seconds to wait before repeating the request.
         * @example 1
         */
        RetryAfter: number;
        /**
         * @description What is left of the credential's rate limit, where one is set (draft-ietf-httpapi-ratelimit-headers).
         * @example "default";r=99;t=1
         */
        RateLimit: string;
        /**
         * @description The credential's rate limit, where one is set (draft-ietf-httpapi-ratelimit-headers).
         * @example "default";q=100;w=1
         */
        RateLimitPolicy: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listPlants: {
        parameters: {
            query: {
                /**
                 * @description How many plants a page holds at most.
                 * @example 100
                 */
                limit: number;
                /** @description Only plants with exactly this tag. */
                tag?: components["schemas"]["Text"];
                /** @description The opaque cursor from the previous page's Link header. It is bound to the tag and the store that it was made for; one that was altered or belongs to another list is 400 / 40006. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of plants, ascending by id. */
            200: {
                headers: {
                    Link: components["headers"]["NextPage"];
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Access-Control-Allow-Origin": components["headers"]["AllowOrigin"];
                    "Access-Control-Expose-Headers": components["headers"]["ExposeHeaders"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredPlant"][];
                };
            };
            400: components["responses"]["ListRefused"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["OurFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    createPlant: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The plant to store, under the id that the client chooses. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPlant"];
            };
        };
        responses: {
            /** @description The plant is on stable storage. The body carries no id; Location leads to the plant. */
            200: {
                headers: {
                    Location: components["headers"]["Location"];
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Access-Control-Allow-Origin": components["headers"]["AllowOrigin"];
                    "Access-Control-Expose-Headers": components["headers"]["ExposeHeaders"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plant"];
                };
            };
            400: components["responses"]["CreateRefused"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["OurFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPlant: {
        parameters: {
            query?: never;
            header?: {
                /** @description Answer 304 if the plant's current entity tag is among these, or, with `*`, if the plant exists. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /**
                 * @description The plant's id in plain decimal notation: no plus sign, no leading zero, no fraction, no exponent. Anything else is 400 / 40006.
                 * @example 12
                 */
                id: components["schemas"]["PlantId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plant. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Revalidate"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Access-Control-Allow-Origin": components["headers"]["AllowOrigin"];
                    "Access-Control-Expose-Headers": components["headers"]["ExposeHeaders"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredPlant"];
                };
            };
            /** @description The plant is still the version that If-None-Match names. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Revalidate"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Access-Control-Allow-Origin": components["headers"]["AllowOrigin"];
                    "Access-Control-Expose-Headers": components["headers"]["ExposeHeaders"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["IdRefused"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NoSuchPlant"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["OurFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    replacePlant: {
        parameters: {
            query?: never;
            header?: {
                /** @description Act only if the plant's current entity tag is among these, or, with `*`, whatever it is; otherwise 412 / 41200. A plant that does not exist is still 404 / 40401. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The plant's id in plain decimal notation: no plus sign, no leading zero, no fraction, no exponent. Anything else is 400 / 40006.
                 * @example 12
                 */
                id: components["schemas"]["PlantId"];
            };
            cookie?: never;
        };
        /** @description What the plant is to be from now on. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["Plant"];
            };
        };
        responses: {
            /** @description The plant as it is now, on stable storage. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["Revalidate"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Access-Control-Allow-Origin": components["headers"]["AllowOrigin"];
                    "Access-Control-Expose-Headers": components["headers"]["ExposeHeaders"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredPlant"];
                };
            };
            400: components["responses"]["ReplaceRefused"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NoSuchPlant"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["OurFault"];
            503: components["responses"]["Unavailable"];
        };
    };
    deletePlant: {
        parameters: {
            query?: never;
            header?: {
                /** @description Act only if the plant's current entity tag is among these, or, with `*`, whatever it is; otherwise 412 / 41200. A plant that does not exist is still 404 / 40401. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The plant's id in plain decimal notation: no plus sign, no leading zero, no fraction, no exponent. Anything else is 400 / 40006.
                 * @example 12
                 */
                id: components["schemas"]["PlantId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plant is gone. */
            204: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Access-Control-Allow-Origin": components["headers"]["AllowOrigin"];
                    "Access-Control-Expose-Headers": components["headers"]["ExposeHeaders"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["IdRefused"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NoSuchPlant"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["OurFault"];
            503: components["responses"]["Unavailable"];
        };
    };
}
