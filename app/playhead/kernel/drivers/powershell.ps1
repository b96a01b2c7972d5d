# Runs blocks of PowerShell for the host. How the two talk is said in `child.py` beside this file.
# Not run yet: written for PowerShell 7 from its documentation.
param([int] $PlayheadJobs, [int] $PlayheadReplies, [string] $PlayheadNonce)

$global:Playhead = & {
    param($Jobs, $Replies, $Nonce)

    function Open-Pipe([int] $Number, [System.IO.FileAccess] $Access) {
        $handle = [Microsoft.Win32.SafeHandles.SafeFileHandle]::new([IntPtr] $Number, $false)
        [System.IO.FileStream]::new($handle, $Access, 1)
    }

    $state = @{
        Jobs    = [System.IO.StreamReader]::new((Open-Pipe $Jobs 'Read'))
        Replies = [System.IO.StreamWriter]::new((Open-Pipe $Replies 'Write'))
        Out     = [Console]::OpenStandardOutput()
        Nonce   = $Nonce
        Run     = ''
    }
    $state.Replies.AutoFlush = $true
    $state.Reply = {
        $fields = $args | ForEach-Object { [Uri]::EscapeDataString([string] $_) }
        $Playhead.Replies.Write(($fields -join "`t") + "`n")
    }
    $state.Line = {
        param([int] $Line)
        [Console]::Out.Flush()
        $body = @{ t = 'line'; run = $Playhead.Run; line = $Line } | ConvertTo-Json -Compress
        $mark = "$([char] 27)_$($Playhead.Nonce);$body$([char] 27)\"
        $bytes = [System.Text.Encoding]::ASCII.GetBytes($mark)
        $Playhead.Out.Write($bytes, 0, $bytes.Length)
        $Playhead.Out.Flush()
    }
    $state
} $PlayheadJobs $PlayheadReplies $PlayheadNonce

[Console]::OutputEncoding = [System.Text.UTF8Encoding]::new($false)
& $Playhead.Reply 'ready' $PSVersionTable.PSVersion
while ($null -ne ($Playhead.Job = $Playhead.Jobs.ReadLine())) {
    $Playhead.Fields = $Playhead.Job -split "`t" | ForEach-Object { [Uri]::UnescapeDataString($_) }
    $Playhead.Run = $Playhead.Fields[0]
    if ($Playhead.Fields[4]) { Set-Location -LiteralPath $Playhead.Fields[4] }
    & $Playhead.Reply 'began'
    $Playhead.Tokens = $Playhead.Errors = $null
    $Playhead.Tree = [System.Management.Automation.Language.Parser]::ParseFile(
        $Playhead.Fields[1], [ref] $Playhead.Tokens, [ref] $Playhead.Errors)
    $global:LASTEXITCODE = $null
    if ($Playhead.Errors) {
        $Playhead.Errors | ForEach-Object { [Console]::Error.WriteLine("$($_.Extent.StartLineNumber): $($_.Message)") }
        & $Playhead.Reply 'error' 'ParseError' $Playhead.Errors[0].Message $Playhead.Errors[0].Extent.StartLineNumber
        $Playhead.Statements = @()
    } else {
        $Playhead.Statements = @($Playhead.Tree.EndBlock.Statements)
    }
    try {
        foreach ($PlayheadStatement in $Playhead.Statements) {
            if ($Playhead.Fields[2] -eq '1') { & $Playhead.Line $PlayheadStatement.Extent.StartLineNumber }
            $Playhead.Clock = [System.Diagnostics.Stopwatch]::StartNew()
            . ([scriptblock]::Create($PlayheadStatement.Extent.Text)) | Out-Default
            & $Playhead.Reply 'timing' $PlayheadStatement.Extent.StartLineNumber `
                $Playhead.Clock.Elapsed.TotalSeconds.ToString([cultureinfo]::InvariantCulture) `
                $PlayheadStatement.Extent.EndLineNumber
        }
    } catch {
        [Console]::Error.WriteLine(($_ | Out-String).TrimEnd())
        & $Playhead.Reply 'error' $_.Exception.GetType().Name $_.Exception.Message $PlayheadStatement.Extent.StartLineNumber
    }
    [Console]::Out.Flush()
    & $Playhead.Reply 'end' 'finished' "$LASTEXITCODE" ''
}
