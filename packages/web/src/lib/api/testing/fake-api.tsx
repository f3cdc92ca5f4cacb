import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { vi } from 'vitest'

export interface ApiCall {
  method: string
  path: string
  query: URLSearchParams
  body: unknown
}

type Answer = (call: ApiCall) => Response | Promise<Response>

/**
 * Replaces `fetch`. Answers are looked up by method and end of the path, `POST /api-key`; other requests get a 404.
 *
 * @returns the requests so far
 */
export function fakeApi(answers: Readonly<Record<string, Answer>>): ApiCall[] {
  const calls: ApiCall[] = []
  vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
    const { pathname, searchParams } = new URL(input instanceof Request ? input.url : input, location.origin)
    const body = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined
    const call = { method: init?.method ?? 'GET', path: pathname, query: searchParams, body }
    calls.push(call)
    const key = Object.keys(answers).find((one) => {
      const [method, path = ''] = one.split(' ')
      return method === call.method && pathname.endsWith(path)
    })
    const answer = key === undefined ? undefined : answers[key]
    return answer?.(call) ?? json({ detail: `No answer for ${call.method} ${pathname}` }, 404)
  })
  return calls
}

export function json(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
}

/** Renders with an empty query cache that does not retry. */
export function renderWithQueries(children: ReactNode) {
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  return { queryClient, ...render(<QueryClientProvider client={queryClient}>{children}</QueryClientProvider>) }
}

/** The same on a page of a router, for components that navigate. */
export async function renderOnPage(children: ReactNode) {
  const component = () => <div data-testid="page">{children}</div>
  const router = createRouter({ routeTree: createRootRoute({ component }), history: createMemoryHistory() })
  const rendered = renderWithQueries(<RouterProvider router={router as never} />)
  await rendered.findByTestId('page')
  return { router, ...rendered }
}
