import type { QueryClient } from '@tanstack/react-query'
import { createRouter } from '@tanstack/react-router'
import { createElement, Suspense } from 'react'
import { parseSearch, printSearch } from './lib/search-schema.ts'
import { routeTree } from './route-tree.gen.ts'
import { CrashPage } from './shell/crash-page.tsx'
import { lazyExtra } from './ui/lazy.tsx'

/** No part of the first screen. */
const NotFoundPage = lazyExtra(() =>
  import('./features/projects/not-found-page.tsx').then((module) => module.NotFoundPage),
)

export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    parseSearch,
    stringifySearch: printSearch,
    defaultPreload: 'intent',
    defaultPreloadDelay: 80,
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: CrashPage,
    defaultNotFoundComponent: () => createElement(Suspense, null, createElement(NotFoundPage)),
    scrollRestoration: false,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
