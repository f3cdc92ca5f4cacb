import { useQueryClient } from '@tanstack/react-query'
import type { ModelProvider } from '@touchstone/sdk'
import { useState } from 'react'
import { PromptVersionSelect } from '#features/prompts/document/prompt-version-select.tsx'
import { toPromptName } from '#features/prompts/prompt-key.ts'
import { pluralize } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { toast } from '#ui/toast.tsx'
import { type Opened, openPrompt } from './use-playground.ts'

interface OriginProps {
  opened: Opened
  providers: readonly ModelProvider[]
  onOpen: (opened: Opened) => void
}

/** Offers the prompt that the opened run was made from, in place of its rendered messages. */
export function Origin({ opened: { origin }, providers, onOpen }: OriginProps) {
  const queryClient = useQueryClient()
  const [isDone, setDone] = useState(false)
  const [version, setVersion] = useState<string>()
  if (origin === undefined || isDone) return null
  const { prompt, values } = origin
  const reference = version ?? prompt.commit
  const count = Object.keys(values ?? {}).length
  async function open() {
    try {
      onOpen(await openPrompt(queryClient, { ...prompt, commit: reference }, providers, values))
      setDone(true)
    } catch (error) {
      toast.failure('Could not open the prompt', error)
    }
  }
  return (
    <p className="flex flex-wrap items-center gap-2 border-b border-border bg-sunken px-3 py-1.5 text-row">
      <span className="min-w-0">
        These are the messages of the run, which used the prompt <bdi className="font-mono">{toPromptName(prompt)}</bdi>
        .{' '}
        {count === 0
          ? 'The values of its variables are not known.'
          : `It had ${pluralize(count, 'value')} of variables.`}
      </span>
      <PromptVersionSelect
        prompt={prompt}
        label="Version of the prompt"
        size="toolbar"
        className="max-w-72"
        value={reference}
        onChange={setVersion}
      />
      <Button onClick={() => void open()}>Open the prompt instead</Button>
      <Button look="quiet" onClick={() => setDone(true)}>
        Dismiss
      </Button>
    </p>
  )
}
