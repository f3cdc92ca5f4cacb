import { createFileRoute } from '@tanstack/react-router'
import { FeedbackPage } from '#features/feedback/configs/feedback-page.tsx'

export const Route = createFileRoute('/o/$tenant/settings/feedback')({ component: FeedbackPage })
