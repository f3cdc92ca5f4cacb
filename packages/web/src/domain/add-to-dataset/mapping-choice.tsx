import { Segmented } from '#ui/segmented.tsx'
import { KeyList } from './key-list.tsx'
import { type RunPayload, getTopLevelKeys, type Mapping } from './mapping.ts'

export interface MappingChoiceProps {
  cargo: RunPayload
  mapping: Mapping
  onChange: (mapping: Mapping) => void
}

const KINDS = [
  { value: 'whole', label: 'Whole', hint: 'Inputs and outputs as they were recorded' },
  { value: 'keys', label: 'Pick keys', hint: 'Some of the keys of inputs and outputs' },
  { value: 'messages', label: 'Messages', hint: 'What was said, as role and content' },
] as const

/** What of a run goes into an example. */
export function MappingChoice({ cargo, mapping, onChange }: MappingChoiceProps) {
  const [inputs, outputs] = [getTopLevelKeys(cargo.inputs), getTopLevelKeys(cargo.outputs)]
  const pick = (kind: Mapping['kind']) => onChange(kind === 'keys' ? { kind, inputs, outputs } : { kind })
  return (
    <div className="flex flex-col gap-2">
      <div>
        <Segmented label="What of the run" value={mapping.kind} onChange={pick} options={KINDS} />
      </div>
      {mapping.kind === 'keys' && (
        <div className="grid gap-3 sm:grid-cols-2">
          <KeyList
            label="Keys of the inputs"
            keys={inputs}
            chosen={mapping.inputs}
            onChange={(chosen) => onChange({ ...mapping, inputs: chosen })}
          />
          <KeyList
            label="Keys of the outputs"
            keys={outputs}
            chosen={mapping.outputs}
            onChange={(chosen) => onChange({ ...mapping, outputs: chosen })}
          />
        </div>
      )}
    </div>
  )
}
