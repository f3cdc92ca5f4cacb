import { createRootRouteWithContext, Outlet } from '@tanstack/react-router'
import type { RouterContext } from '#data/query-client.ts'

export const Route = createRootRouteWithContext<RouterContext>()({ component: Outlet })
