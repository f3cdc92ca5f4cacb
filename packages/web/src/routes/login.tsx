import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'

export const Route = createFileRoute('/login')({
  validateSearch: z.object({ next: z.catch(z.optional(z.string()), undefined) }),
  component: () => <main>Login</main>,
})
