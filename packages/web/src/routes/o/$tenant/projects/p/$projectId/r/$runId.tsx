import { createFileRoute } from '@tanstack/react-router'

export const Route = createFileRoute('/o/$tenant/projects/p/$projectId/r/$runId')({ component: () => <main>Run</main> })
