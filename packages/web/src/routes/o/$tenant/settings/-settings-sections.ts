import type { LinkProps } from '@tanstack/react-router'
import {
  Building2,
  CircleDollarSign,
  Hourglass,
  KeyRound,
  type LucideIcon,
  MessageSquareText,
  SlidersHorizontal,
} from 'lucide-react'

export interface SettingsSection {
  to: NonNullable<LinkProps['to']>
  label: string
  icon: LucideIcon
}

/** The pages of the settings as the list at their left shows them; a page is a route of this folder. */
export const SETTINGS_SECTIONS: readonly { heading: string; sections: readonly SettingsSection[] }[] = [
  {
    heading: 'Workspace',
    sections: [
      { to: '/o/$tenant/settings/workspace', label: 'General', icon: Building2 },
      { to: '/o/$tenant/settings/api-keys', label: 'API keys', icon: KeyRound },
    ],
  },
  {
    heading: 'Data',
    sections: [
      { to: '/o/$tenant/settings/prices', label: 'Model prices', icon: CircleDollarSign },
      { to: '/o/$tenant/settings/feedback', label: 'Feedback', icon: MessageSquareText },
      { to: '/o/$tenant/settings/retention', label: 'Retention', icon: Hourglass },
    ],
  },
  {
    heading: 'You',
    sections: [{ to: '/o/$tenant/settings/preferences', label: 'Preferences', icon: SlidersHorizontal }],
  },
]
