import { allRoutes, mountedPaths } from '@touchstone/contract'

export type RouteOf = ReturnType<typeof allRoutes>[number]

/** The route that answers a request: the contract's, most literal path first. */
export function routeOf(method: string, pathname: string): RouteOf {
  const path = pathname.length > 1 ? pathname.replace(/\/$/, '') : pathname
  const found = MOUNTED.find((one) => one.route.method === method && one.pattern.test(path))
  if (!found) throw new Error(`No route of the contract answers ${method} ${pathname}`)
  return found.route
}

const parameters = (path: string) => path.split('{').length - 1

const MOUNTED = allRoutes()
  .flatMap((route) => mountedPaths(route).map((path) => ({ route, path })))
  .sort((a, b) => parameters(a.path) - parameters(b.path))
  .map(({ route, path }) => ({ route, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }))
