/** The shells that `capstan completion` knows. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

export type ShellName = (typeof SHELLS)[number];

// Each script asks capstan itself, so that it never differs from the installed version. Without a candidate the shell
// completes files.
const SCRIPTS: Readonly<Record<ShellName, string>> = {
  bash: `# capstan completion bash: put this into ~/.bashrc:  source <(capstan completion bash)
_capstan() {
  local IFS=$'\\n'
  local words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=($(capstan __complete -- "\${words[@]}" 2>/dev/null | cut -f 1))
}
complete -o default -F _capstan capstan
`,
  zsh: `#compdef capstan
# capstan completion zsh: put this into ~/.zshrc:  source <(capstan completion zsh)
_capstan() {
  local -a found
  found=("\${(@f)$(capstan __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null | sed 's/:/\\\\:/g; s/\\t/:/')}")
  if [[ -n "\${found[1]}" ]]; then _describe capstan found; else _files; fi
}
compdef _capstan capstan
`,
  fish: `# capstan completion fish: capstan completion fish > ~/.config/fish/completions/capstan.fish
complete -c capstan -a '(capstan __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
};

/** The script that makes a shell complete the words of capstan. */
export function completionScript(shell: ShellName): string {
  return SCRIPTS[shell];
}
