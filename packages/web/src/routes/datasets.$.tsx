import { createFileRoute } from '@tanstack/react-router'
import { redirectIntoWorkspace } from '#shell/redirect-into-workspace.ts'

export const Route = createFileRoute('/datasets/$')({ beforeLoad: redirectIntoWorkspace })
