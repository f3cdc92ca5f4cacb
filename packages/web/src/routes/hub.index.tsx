import { createFileRoute } from '@tanstack/react-router'
import { redirectToPrompt } from '#shell/redirect-into-workspace.ts'

export const Route = createFileRoute('/hub/')({ beforeLoad: redirectToPrompt })
