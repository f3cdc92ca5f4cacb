import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Agent } from '@touchstone/sdk'
import { useState } from 'react'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog, Dialog, FormDialog } from '#ui/dialog.tsx'
import { TextField } from '#ui/field.tsx'
import { toast } from '#ui/toast.tsx'
import { AgentSetup } from './agent-setup.tsx'
import { agentIdProblem } from './agents.ts'
import { agentMutation } from './queries.ts'

/** The open dialog of the page. */
export type AgentDialogState = { kind: 'create' } | { kind: 'rename' | 'delete' | 'setup'; agent: Agent }

interface AgentDialogsProps {
  layer: AgentDialogState
  onLayer: (layer: AgentDialogState | undefined) => void
}

/** Renders the open dialog. */
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
          // The next step is to send traces to the new agent.
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
          onError: (cause) => toast.failure(`Could not delete ${agent.name}`, cause),
        })
      }
    >
      This also deletes its environments and their projects with all traces and feedback. This cannot be undone.
      Programs that still send traces to this agent create it again.
    </ConfirmDialog>
  )
}

interface AgentDialogProps {
  /** The agent to rename; without it, a new one is created. */
  agent?: Agent
  isBusy: boolean
  error: unknown
  onSubmit: (id: string, name: string) => void
  onClose: () => void
}

/** Form for a new agent's id and name, or for a new name. */
function AgentDialog({ agent, isBusy, error, onSubmit, onClose }: AgentDialogProps) {
  const [id, setId] = useState(agent?.id ?? '')
  const [name, setName] = useState(agent?.name ?? '')
  const problem = agentIdProblem(id)
  const wanted = name.trim()
  const isNew = agent === undefined ? id !== '' && problem === undefined : wanted !== '' && wanted !== agent.name
  return (
    <FormDialog
      title={agent ? `Rename ${agent.name}` : 'New agent'}
      description={
        agent
          ? 'The ID does not change, so programs keep sending traces to this agent.'
          : 'Each environment of the agent gets its own project.'
      }
      action={agent ? 'Rename' : 'Create agent'}
      errorTitle={agent ? 'Could not rename the agent' : 'Could not create the agent'}
      canSubmit={isNew}
      isPending={isBusy}
      error={error}
      onSubmit={() => onSubmit(id, wanted)}
      onClose={onClose}
    >
      {!agent && (
        <TextField
          label="ID"
          hint="Programs send it as LANGSMITH_AGENT_ID. It cannot be changed later."
          error={problem}
          autoComplete="off"
          spellCheck={false}
          placeholder="customer-support"
          value={id}
          onChange={setId}
        />
      )}
      <TextField
        label="Name"
        hint={agent ? undefined : 'Optional. Defaults to the ID.'}
        maxLength={200}
        autoComplete="off"
        value={name}
        onChange={setName}
        onFocus={(event) => event.target.select()}
      />
    </FormDialog>
  )
}
