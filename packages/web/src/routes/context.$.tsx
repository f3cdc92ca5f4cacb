import { createFileRoute } from '@tanstack/react-router'
import { redirectToPrompt } from '#shell/redirect-into-workspace.ts'

export const Route = createFileRoute('/context/$')({ beforeLoad: redirectToPrompt })
