import { createFileRoute } from '@tanstack/react-router'
import { QueueSettingsPage } from '#features/annotation-queues/queue-settings-page.tsx'

export const Route = createFileRoute('/o/$tenant/annotation-queues/$queueId/settings')({
  component: () => {
    const { tenant, queueId } = Route.useParams()
    return <QueueSettingsPage key={queueId} tenant={tenant} queueId={queueId} />
  },
})
