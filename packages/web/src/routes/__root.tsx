import { createRootRouteWithContext, Outlet } from '@tanstack/react-router'
import type { RouterContext } from '#lib/api/query-client.ts'

export const Route = createRootRouteWithContext<RouterContext>()({ component: Outlet })
