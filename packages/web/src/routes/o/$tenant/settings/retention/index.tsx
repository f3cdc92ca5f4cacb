import { createFileRoute } from '@tanstack/react-router'

export const Route = createFileRoute('/o/$tenant/settings/retention/')({
  component: RouteComponent,
})

function RouteComponent() {
  return <div>Hello "/o/$tenant/settings/retention/"!</div>
}
