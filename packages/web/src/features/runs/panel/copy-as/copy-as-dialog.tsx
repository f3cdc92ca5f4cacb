import { useQuery } from '@tanstack/react-query'
import type { Run } from '@touchstone/contract'
import { useState } from 'react'
import type { RunPayload } from '#features/datasets/add-to-dataset/mapping.ts'
import { projectQuery } from '#features/projects/queries.ts'
import { createPreference, isOneOf } from '#lib/preferences.ts'
import { Button } from '#ui/button.tsx'
import { CopyButton } from '#ui/copy-button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { usePreference } from '#ui/hooks.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { toModelCall } from './model-call.ts'
import { LANGUAGES, type Language, printModelCall, printRun } from './print-code.ts'

const languagePreference = createPreference<Language>('copy-as', 'curl', isOneOf(...LANGUAGES))

const NAMES: Record<Language, string> = { curl: 'cURL', python: 'Python', typescript: 'TypeScript' }

export interface CopyAsDialogProps {
  run: Run
  payload: RunPayload
  onClose: () => void
}

/** Shows a run as code: the same request to the model, or a program that records the same run again. */
export function CopyAsDialog({ run, payload, onClose }: CopyAsDialogProps) {
  const [language, setLanguage] = usePreference(languagePreference)
  const call = toModelCall(run, payload)
  const [what, setWhat] = useState<'call' | 'run'>(call ? 'call' : 'run')
  const project = useQuery(projectQuery.one(run.session_id))
  const text =
    what === 'call' && call
      ? printModelCall(call, language)
      : printRun({ run, payload, project: project.data?.name ?? 'default', origin: location.origin }, language)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Copy as code"
      width="max-w-2xl"
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <CopyButton text={text} label={`Copy as ${NAMES[language]}`} look="primary" />
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap gap-2">
          <Segmented
            label="Language"
            value={language}
            onChange={setLanguage}
            options={LANGUAGES.map((value) => ({ value, label: NAMES[value] }))}
          />
          {call && (
            <Segmented
              label="Action"
              value={what}
              onChange={setWhat}
              options={[
                { value: 'call', label: 'Call the model' },
                { value: 'run', label: 'Record the run again' },
              ]}
            />
          )}
        </div>
        <p className="text-row text-fg-muted">
          {what === 'call' && call
            ? `Sends the same request to ${call.model}. The API key is read from the environment.`
            : 'Records a copy of this run on this server.'}
        </p>
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          role="region"
          aria-label="Code"
          className="max-h-[44vh] overflow-auto rounded-card border border-border bg-sunken p-3 font-mono text-row"
        >
          {text}
        </pre>
      </div>
    </Dialog>
  )
}
