import { createFileRoute, redirect } from '@tanstack/react-router'

export const Route = createFileRoute('/o/$tenant/settings/')({
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/o/$tenant/settings/workspace', params, replace: true })
  },
})
