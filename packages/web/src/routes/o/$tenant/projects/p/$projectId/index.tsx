import { createFileRoute } from '@tanstack/react-router'

export const Route = createFileRoute('/o/$tenant/projects/p/$projectId/')({ component: () => <main>Runs</main> })
