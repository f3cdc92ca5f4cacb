import { createFileRoute, redirect } from '@tanstack/react-router'

export const Route = createFileRoute('/o/$tenant/')({
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/o/$tenant/projects', params, replace: true })
  },
})
