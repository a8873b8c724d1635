/** Finds the operation or the page for a method and a target. */
import { Problem, StartupError } from '../errors.ts';
import { nearest } from '../util/nearest.ts';
import type { Api } from './api.ts';
import type { Endpoint, Exchange, Match } from './exchange.ts';
import { decode, readTarget } from './request.ts';
import type { Response } from './response.ts';

/** A target that needs no credential and is no operation: documentation, description, health, OPTIONS. */
export type Page = (exchange: Exchange) => Response | Promise<Response>;
/** Pages by path, below the base URL's prefix. */
export type Pages = ReadonlyMap<string, Page>;

export interface Router {
  /** Sets what to find. Throws a StartupError if two operations collide, or a page hides an operation. */
  open(apis: readonly Api[], pages: Pages): void;
  /** The step `route`. A preflight (Fetch standard) gets a response about the method that it asks for. */
  route(exchange: Exchange): Match | Page;
  /** Throws a Problem: 40400, 40500. */
  find(method: string, target: string): Match | Page;
}

interface Route {
  readonly segments: readonly string[];
  /** The name of the parameter at the place of each segment. Undefined for a fixed segment. */
  readonly names: readonly (string | undefined)[];
  /** Endpoints by method. HEAD is not listed, because it is GET without a body. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly allow: string;
  /** Whether the path of a page matches it, too. The page is then found. */
  readonly hasPages: boolean;
}

const PAGE_METHODS = 'GET, HEAD, OPTIONS';
/** A method as RFC 9110, 9.1 and 5.6.2, writes it. */
const METHOD = /^[\w!#$%&'*+.^`|~-]{1,40}$/;
/** How long a browser may keep the response to a preflight, in seconds. */
const PREFLIGHT_S = 7_200;
/** The target of OPTIONS for the whole service: `*` or an empty path (RFC 9110, 9.3.7 and 4.2.3). */
const WHOLE = /^(?:\*|https?:\/\/[^/?#]*)$/i;

/** A message repeats only such a path: nothing in it can be mistaken for markup. */
const PLAIN_PATH = /^\/[\w./~-]{1,60}$/;
/** An asset's name contains a hash of its content, and no user types it. */
const ASSET = /\.[\da-f]{12}\./;

/**
 * Creates a router that finds nothing yet. `prefix`: the path of the base URL, which comes before every path. `hint`:
 * returns the end of the message for a path that does not exist, such as where the paths are described.
 */
export function createRouter(prefix: string, hint: (path: string, pages: Pages) => string): Router {
  let pages: Pages = new Map();
  /** The paths of pages that users type. */
  let typed: readonly string[] = [];
  let routes: readonly Route[] = [];
  let everyMethod = '';
  let fields = '';

  const open = (apis: readonly Api[], ownPages: Pages) => {
    const list = endpointsOf(apis, ownPages);
    // OpenAPI 3.1, 4.8.8: a path without parameters comes before a path with parameters.
    const ordered = list.toSorted(
      (a, b) => Number(a.operation.path.includes('{')) - Number(b.operation.path.includes('{')),
    );
    const groups = Map.groupBy(ordered, ({ operation }) => operation.path);
    const methods = list.map(({ operation }) => operation.method);
    pages = ownPages;
    typed = [...pages.keys()].filter((one) => !ASSET.test(one));
    routes = [...groups].map(([path, group]) => routeOf(path, group, pages));
    everyMethod = [...new Set(['GET', 'HEAD', 'OPTIONS', ...methods])].sort().join(', ');
    fields = requestFields(list);
  };

  const noSuchPath = (path: string, segments: readonly string[]) => {
    if (!PLAIN_PATH.test(path)) return 'No such path.';
    const meant = nearest(path, [...typed, ...routes.flatMap((route) => filledIn(route.segments, segments))]);
    const guess = meant === undefined ? '' : ` Did you mean ${prefix}${meant}?`;
    return `No such path: ${prefix}${path}.${guess}`;
  };

  const find = (method: string, target: string): Match | Page => {
    if (method === 'OPTIONS' && WHOLE.test(target)) return optionsPage(everyMethod, fields);
    const { path, query } = readTarget(target, prefix);
    const isRead = method === 'GET' || method === 'HEAD';
    const segments = path.split('/');
    const matching = routes.find((one) => matches(one, segments));
    // To find a page by its path costs as much as all the rest, so it is done only where a page may be.
    const page = matching?.hasPages === false ? undefined : pages.get(path);
    if (page !== undefined && isRead) return page;
    const route = page === undefined ? matching : undefined;
    const found = route?.endpoints.get(isRead ? 'GET' : method);
    if (route !== undefined && found !== undefined) {
      const { operation, handler, contextOf } = found;
      return { operation, handler, contextOf, parameters: parametersOf(route.names, segments), query };
    }
    const allow = page === undefined ? route?.allow : PAGE_METHODS;
    if (allow === undefined) throw new Problem(40400, `${noSuchPath(path, segments)} ${hint(path, pages)}.`);
    if (method === 'OPTIONS') return optionsPage(allow, fields);
    throw new Problem(40500, `The path does not support this method; it supports ${allow}.`, { Allow: allow });
  };
  const preflight = (method: string, target: string): Page => {
    try {
      find(method, target);
      return () => preflightResponse(method, fields, PREFLIGHT_S);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // The browser then sends the request, so that its page can read the refusal.
      return () => preflightResponse(METHOD.test(method) ? method : PAGE_METHODS, fields, 0);
    }
  };
  return {
    open,
    route({ request: { method = '', url = '/', headers } }) {
      const asked = headers['access-control-request-method'];
      const isPreflight = method === 'OPTIONS' && headers.origin !== undefined && asked !== undefined;
      return isPreflight ? preflight(asked, url) : find(method, url);
    },
    find,
  };
}

/** Every operation of every Api. Throws a StartupError if an operation would be hidden. */
function endpointsOf(apis: readonly Api[], pages: Pages): readonly Endpoint[] {
  const list: Endpoint[] = [];
  const ids = new Set<string>();
  const owners = new Map<string, Api>();
  for (const api of apis) {
    for (const operation of Object.values(api.operations)) {
      const { id, method, path } = operation;
      const handler = api.handlers[id];
      const template = path.replaceAll(/\{[^{}]+\}/g, '{}');
      const isTaken = list.some(({ operation: one }) => one.path === path && one.method === method);
      if (handler === undefined) throw new StartupError(`nothing performs the operation ${id}`);
      if (ids.has(id)) throw new StartupError(`two operations have the operationId ${id}`);
      if (isTaken || (owners.get(template) ?? api) !== api)
        throw new StartupError(`two operations have the path ${path}`);
      if (pages.has(path)) throw new StartupError(`the description's path ${path} is a page of the service`);
      ids.add(id);
      owners.set(template, api);
      list.push({ operation, handler, contextOf: api.contextOf });
    }
  }
  return list;
}

function routeOf(path: string, group: readonly Endpoint[], pages: Pages): Route {
  const endpoints = new Map(group.map((endpoint) => [endpoint.operation.method as string, endpoint]));
  const allow = [...endpoints.keys(), ...(endpoints.has('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ');
  const segments = path.split('/');
  const names = segments.map((segment) => (segment.startsWith('{') ? segment.slice(1, -1) : undefined));
  const hasPages = pages.keys().some((page) => matches({ segments, names }, page.split('/')));
  return { segments, names, endpoints, allow, hasPages };
}

/** A path parameter is never empty (OpenAPI 3.1, 4.8.12.2). */
function matches({ segments: wanted, names }: Pick<Route, 'segments' | 'names'>, segments: readonly string[]): boolean {
  if (wanted.length !== segments.length) return false;
  return segments.every((segment, i) => (names[i] === undefined ? segment === wanted[i] : segment !== ''));
}

/** A path of the description with the given segments as parameters. Empty if there are too few segments. */
function filledIn(wanted: readonly string[], segments: readonly string[]): string[] {
  const filled = wanted.map((want, i) => (want.startsWith('{') ? (segments[i] ?? '') : want));
  return filled.includes('', 1) ? [] : [filled.join('/')];
}

function parametersOf(names: Route['names'], segments: readonly string[]): Match['parameters'] {
  const parameters: Record<string, string | undefined> = {};
  names.forEach((name, i) => {
    if (name !== undefined) parameters[name] = decode(segments[i] as string);
  });
  return parameters;
}

/**
 * The header fields that a page of another origin may send: all, because unknown fields are ignored. `*` does not
 * include Authorization (Fetch standard). The other names are for browsers that do not support `*`.
 */
function requestFields(list: readonly Endpoint[]): string {
  const named = list.flatMap(({ operation: { parameters } }) => parameters.filter((one) => one.in === 'header'));
  const names = new Set(['*', 'Authorization', 'Content-Type', 'X-Request-Id', ...named.map(({ name }) => name)]);
  return [...names].sort().join(', ');
}

/** The response to OPTIONS. It also has the fields of a preflight, for tools that send no Origin. */
function optionsPage(allow: string, fields: string): Page {
  const { status, headers } = preflightResponse(allow, fields, PREFLIGHT_S);
  return () => ({ status, headers: { Allow: allow, ...headers } });
}

/** `seconds`: how long a browser may keep it. A preflight has no credential. */
function preflightResponse(methods: string, fields: string, seconds: number): Response {
  const headers = {
    'Cache-Control': 'no-store',
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': fields,
    'Access-Control-Max-Age': String(seconds),
  };
  return { status: 204, headers };
}
