import { createFileRoute } from '@tanstack/react-router'

export const Route = createFileRoute('/o/$tenant/projects/')({ component: () => <main>Projects</main> })
