import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Agent } from '@touchstone/sdk'
import { agentMutation } from '#data/agents.ts'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { toast } from '#ui/toast.tsx'
import { AgentDialog } from './-agent-dialog.tsx'
import { AgentSetup } from './-agent-setup.tsx'

/** The dialogs of the page. */
export type AgentDialogState = { kind: 'create' } | { kind: 'rename' | 'delete' | 'setup'; agent: Agent }

interface AgentDialogsProps {
  layer: AgentDialogState
  onLayer: (layer: AgentDialogState | undefined) => void
}

/** The dialog that is open. */
export function AgentDialogs({ layer, onLayer }: AgentDialogsProps) {
  const queryClient = useQueryClient()
  const create = useMutation(agentMutation.create(queryClient))
  const rename = useMutation(agentMutation.rename(queryClient))
  const close = () => onLayer(undefined)
  if (layer.kind === 'create') {
    return (
      <AgentDialog
        isBusy={create.isPending}
        error={create.error}
        onClose={close}
        onSubmit={(id, name) =>
          // What one wants next is to send traces to it.
          create.mutate({ id, name: name || undefined }, { onSuccess: (agent) => onLayer({ kind: 'setup', agent }) })
        }
      />
    )
  }
  const { agent } = layer
  if (layer.kind === 'setup') return <SetupDialog agent={agent} onClose={close} />
  if (layer.kind === 'delete') return <DeleteAgentDialog agent={agent} onClose={close} />
  return (
    <AgentDialog
      agent={agent}
      isBusy={rename.isPending}
      error={rename.error}
      onClose={close}
      onSubmit={(id, name) => rename.mutate({ id, name }, { onSuccess: close })}
    />
  )
}

interface OneAgentProps {
  agent: Agent
  onClose: () => void
}

function SetupDialog({ agent, onClose }: OneAgentProps) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Send traces to ${agent.name}`}
      width="max-w-2xl"
      footer={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <AgentSetup agentId={agent.id} />
    </Dialog>
  )
}

function DeleteAgentDialog({ agent, onClose }: OneAgentProps) {
  const remove = useMutation(agentMutation.delete(useQueryClient()))
  return (
    <ConfirmDialog
      title={`Delete ${agent.name}?`}
      action="Delete agent"
      typed={agent.id}
      isBusy={remove.isPending}
      onCancel={onClose}
      onConfirm={() =>
        remove.mutate(agent.id, {
          onSuccess: () => {
            onClose()
            toast.done(`Deleted ${agent.name}`)
          },
          onError: (cause) => toast.failure(`${agent.name} could not be deleted.`, cause),
        })
      }
    >
      Its environments, their projects and all traces, runs and feedback in them are deleted, too. This cannot be
      undone. A program that still sends traces to this agent creates it again.
    </ConfirmDialog>
  )
}
