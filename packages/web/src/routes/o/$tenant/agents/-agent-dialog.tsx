import type { Agent } from '@touchstone/sdk'
import { type FormEvent, useState } from 'react'
import { agentIdProblem } from '#lib/agents/agent-cells.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { CONTROL, FormField } from '#ui/form-field.tsx'

export interface AgentDialogProps {
  /** The one to rename; absent to create one. */
  agent?: Agent
  isBusy: boolean
  error: unknown
  onSubmit: (id: string, name: string) => void
  onClose: () => void
}

/** Asks for the id and name of a new agent, or for another name. */
export function AgentDialog({ agent, isBusy, error, onSubmit, onClose }: AgentDialogProps) {
  const [id, setId] = useState(agent?.id ?? '')
  const [name, setName] = useState(agent?.name ?? '')
  const problem = agentIdProblem(id)
  const wanted = name.trim()
  const isNew = agent === undefined ? id !== '' && problem === undefined : wanted !== '' && wanted !== agent.name
  const mayGo = isNew && !isBusy
  const action = agent ? 'Rename' : 'Create agent'
  function submit(event: FormEvent) {
    event.preventDefault()
    if (mayGo) onSubmit(id, wanted)
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={agent ? `Rename ${agent.name}` : 'New agent'}
      description={agent ? 'The id stays, and so does where traces go.' : 'It gets a project for each environment.'}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="agent" look="primary" disabled={!mayGo}>
            {action}
          </Button>
        </>
      }
    >
      <form id="agent" onSubmit={submit} className="flex flex-col gap-3">
        {error !== null && <ErrorState compact title={`${action} failed`} error={error} />}
        {!agent && (
          <FormField label="Id" hint="What programs send as LANGSMITH_AGENT_ID. It cannot be changed." error={problem}>
            {(props) => (
              <input
                {...props}
                className={CONTROL}
                autoComplete="off"
                spellCheck={false}
                placeholder="customer-support"
                value={id}
                onChange={(event) => setId(event.target.value)}
              />
            )}
          </FormField>
        )}
        <FormField label="Name" hint={agent ? undefined : 'The id is shown when there is none.'}>
          {(props) => (
            <input
              {...props}
              className={CONTROL}
              maxLength={200}
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.target.value)}
              onFocus={(event) => event.target.select()}
            />
          )}
        </FormField>
      </form>
    </Dialog>
  )
}
