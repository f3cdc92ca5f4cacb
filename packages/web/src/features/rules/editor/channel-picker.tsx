import { Link } from '@tanstack/react-router'
import type { Names } from '../use-names.ts'
import { PickSeveral } from './pick-several.tsx'

const MAX_CHANNELS = 20

interface ChannelPickerProps {
  chosen: readonly string[]
  names: Names
  error?: string | undefined
  onChange: (chosen: readonly string[]) => void
}

/** Notification channels of the workspace. */
export function ChannelPicker({ chosen, names: { channels, channelName }, error, onChange }: ChannelPickerProps) {
  const hint =
    channels.length > 0 ? undefined : (
      <Link from="/o/$tenant" to="/o/$tenant/settings/channels" className="text-accent hover:underline">
        There is none yet: create a channel first
      </Link>
    )
  return (
    <PickSeveral
      noun="channel"
      chosen={chosen}
      objects={channels}
      nameOf={channelName}
      max={MAX_CHANNELS}
      error={error}
      hint={hint}
      onChange={onChange}
    />
  )
}
