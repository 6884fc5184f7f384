	.file	"<string>"
	.section	.rodata.cst4,"aM",@progbits,4
	.p2align	2, 0x0
.LCPI0_0:
	.long	0x7f800000
	.section	.ltext,"axl",@progbits
	.globl	_ZN8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE
	.p2align	4
	.type	_ZN8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE,@function
_ZN8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	pushq	%r15
	.cfi_def_cfa_offset 24
	pushq	%r14
	.cfi_def_cfa_offset 32
	pushq	%r13
	.cfi_def_cfa_offset 40
	pushq	%r12
	.cfi_def_cfa_offset 48
	pushq	%rbx
	.cfi_def_cfa_offset 56
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	.cfi_offset %rbp, -16
	movq	240(%rsp), %r13
	movq	72(%rsp), %r15
	movq	216(%rsp), %r8
	movq	%rdi, -48(%rsp)
	sarq	$6, %r13
	testq	%r8, %r8
	jle	.LBB0_1
	movl	$1, %r9d
	lock		xaddq	%r9, 256(%r15)
	shlq	$4, %r9
	cmpq	%r13, %r9
	jge	.LBB0_33
	movq	128(%rsp), %rax
	movq	152(%rsp), %r11
	movq	192(%rsp), %r10
	movabsq	$9223372036854775806, %r12
	movq	%r13, -24(%rsp)
	leaq	256(%rax), %rcx
	leaq	5(%r11,%r11,4), %rbx
	addq	$384, %rax
	leaq	-1(%r11), %r15
	andq	%r11, %r12
	movq	%rcx, -32(%rsp)
	movq	%r11, %rcx
	shlq	$8, %rcx
	movq	%rax, -40(%rsp)
	movq	%rcx, -56(%rsp)
	movabsq	$.LCPI0_0, %rcx
	vbroadcastss	(%rcx), %zmm0
	jmp	.LBB0_5
	.p2align	4
.LBB0_32:
	movq	72(%rsp), %rax
	movl	$1, %r9d
	lock		xaddq	%r9, 256(%rax)
	movq	-24(%rsp), %r13
	shlq	$4, %r9
	cmpq	%r13, %r9
	jge	.LBB0_33
.LBB0_5:
	leaq	16(%r9), %rcx
	cmpq	%rcx, %r13
	cmovlq	%r13, %rcx
	subq	%r9, %rcx
	testq	%rcx, %rcx
	jle	.LBB0_32
	movq	-56(%rsp), %rbp
	movq	-32(%rsp), %rax
	imulq	%r9, %rbp
	leaq	(%rax,%rbp), %r14
	addq	-40(%rsp), %rbp
	jmp	.LBB0_7
	.p2align	4
.LBB0_31:
	movq	312(%rsp), %rax
	movq	256(%rsp), %rcx
	vmovups	%zmm4, 128(%rax,%r9,4)
	vmovups	%zmm3, 192(%rax,%r9,4)
	movq	-56(%rsp), %rax
	vmovdqu64	%zmm1, 192(%rcx,%r9,4)
	vmovdqu64	%zmm2, 128(%rcx,%r9,4)
	movq	-8(%rsp), %r9
	movq	-16(%rsp), %rcx
	incq	%r9
	addq	%rax, %r14
	addq	%rax, %rbp
	decq	%rcx
	jle	.LBB0_32
.LBB0_7:
	movq	%rcx, -16(%rsp)
	movq	128(%rsp), %rcx
	movq	%r9, -8(%rsp)
	shlq	$6, %r9
	vpxor	%xmm1, %xmm1, %xmm1
	xorl	%edx, %edx
	vpxor	%xmm2, %xmm2, %xmm2
	vmovaps	%zmm0, %zmm3
	vmovaps	%zmm0, %zmm4
	movq	%r9, %rax
	imulq	%r11, %rax
	leaq	(%rcx,%rax,4), %rdi
	xorl	%ecx, %ecx
	jmp	.LBB0_8
	.p2align	4
.LBB0_9:
	vmovaps	%zmm9, %zmm14
	vmovaps	%zmm8, %zmm13
	vmovaps	%zmm7, %zmm12
	vmovaps	%zmm6, %zmm11
	vmovaps	%zmm5, %zmm10
	movq	%rsi, %rcx
.LBB0_16:
	vcmpltps	%zmm3, %zmm9, %k1
	vcmpltps	%zmm4, %zmm14, %k2
	leal	(%rdx,%rdx,4), %eax
	vminps	%zmm3, %zmm9, %zmm3
	vminps	%zmm4, %zmm14, %zmm4
	leal	1(%rdx,%rdx,4), %r13d
	leal	2(%rdx,%rdx,4), %esi
	vpbroadcastd	%eax, %zmm1 {%k2}
	vpbroadcastd	%eax, %zmm2 {%k1}
	vcmpltps	%zmm4, %zmm13, %k1
	vcmpltps	%zmm3, %zmm8, %k2
	vminps	%zmm4, %zmm13, %zmm4
	vminps	%zmm3, %zmm8, %zmm3
	vpbroadcastd	%r13d, %zmm2 {%k2}
	vpbroadcastd	%r13d, %zmm1 {%k1}
	vcmpltps	%zmm3, %zmm7, %k1
	vcmpltps	%zmm4, %zmm12, %k2
	vminps	%zmm3, %zmm7, %zmm3
	vminps	%zmm4, %zmm12, %zmm4
	leal	3(%rdx,%rdx,4), %r13d
	vpbroadcastd	%esi, %zmm1 {%k2}
	vpbroadcastd	%esi, %zmm2 {%k1}
	vcmpltps	%zmm4, %zmm11, %k1
	vcmpltps	%zmm3, %zmm6, %k2
	vminps	%zmm4, %zmm11, %zmm4
	vminps	%zmm3, %zmm6, %zmm3
	leal	4(%rdx,%rdx,4), %esi
	incq	%rdx
	vpbroadcastd	%r13d, %zmm2 {%k2}
	vpbroadcastd	%r13d, %zmm1 {%k1}
	vcmpltps	%zmm3, %zmm5, %k1
	vcmpltps	%zmm4, %zmm10, %k2
	vminps	%zmm3, %zmm5, %zmm3
	vminps	%zmm4, %zmm10, %zmm4
	vpbroadcastd	%esi, %zmm1 {%k2}
	vpbroadcastd	%esi, %zmm2 {%k1}
	cmpq	%r8, %rdx
	je	.LBB0_17
.LBB0_8:
	vbroadcastss	(%r10,%rcx,4), %zmm9
	vbroadcastss	4(%r10,%rcx,4), %zmm8
	vbroadcastss	8(%r10,%rcx,4), %zmm7
	vbroadcastss	12(%r10,%rcx,4), %zmm6
	vbroadcastss	16(%r10,%rcx,4), %zmm5
	leaq	5(%rcx), %rsi
	testq	%r11, %r11
	jle	.LBB0_9
	testq	%r15, %r15
	je	.LBB0_11
	movq	%r14, %rsi
	movq	%rcx, %rax
	xorl	%r13d, %r13d
	vmovaps	%zmm5, %zmm10
	vmovaps	%zmm6, %zmm11
	vmovaps	%zmm7, %zmm12
	vmovaps	%zmm8, %zmm13
	vmovaps	%zmm9, %zmm14
	.p2align	4
.LBB0_21:
	vbroadcastss	20(%r10,%rax,4), %zmm15
	vmovups	-192(%rsi), %zmm17
	vmovups	-256(%rsi), %zmm16
	vbroadcastss	24(%r10,%rax,4), %zmm21
	vbroadcastss	32(%r10,%rax,4), %zmm22
	vmovups	(%rsi), %zmm18
	vmovups	64(%rsi), %zmm19
	addq	$2, %r13
	addq	$512, %rsi
	vmulps	%zmm15, %zmm17, %zmm20
	vmulps	%zmm15, %zmm16, %zmm15
	vsubps	%zmm20, %zmm14, %zmm14
	vsubps	%zmm15, %zmm9, %zmm9
	vmulps	%zmm21, %zmm17, %zmm15
	vmulps	%zmm21, %zmm16, %zmm20
	vbroadcastss	28(%r10,%rax,4), %zmm21
	vsubps	%zmm20, %zmm8, %zmm8
	vsubps	%zmm15, %zmm13, %zmm13
	vmulps	%zmm21, %zmm17, %zmm20
	vmulps	%zmm21, %zmm16, %zmm15
	vbroadcastss	36(%r10,%rax,4), %zmm21
	vsubps	%zmm20, %zmm12, %zmm12
	vmulps	%zmm22, %zmm17, %zmm20
	vsubps	%zmm15, %zmm7, %zmm7
	vmulps	%zmm22, %zmm16, %zmm15
	vsubps	%zmm20, %zmm11, %zmm11
	vbroadcastss	40(%r10,%rax,4), %zmm20
	vsubps	%zmm15, %zmm6, %zmm6
	vmulps	%zmm21, %zmm16, %zmm15
	vmulps	%zmm21, %zmm17, %zmm17
	vsubps	%zmm15, %zmm5, %zmm5
	vsubps	%zmm17, %zmm10, %zmm10
	vbroadcastss	48(%r10,%rax,4), %zmm17
	vmulps	%zmm20, %zmm18, %zmm16
	vmulps	%zmm20, %zmm19, %zmm15
	vbroadcastss	44(%r10,%rax,4), %zmm20
	vsubps	%zmm16, %zmm9, %zmm9
	vsubps	%zmm15, %zmm14, %zmm14
	vmulps	%zmm20, %zmm18, %zmm15
	vmulps	%zmm20, %zmm19, %zmm16
	vbroadcastss	52(%r10,%rax,4), %zmm20
	vsubps	%zmm15, %zmm8, %zmm8
	vsubps	%zmm16, %zmm13, %zmm13
	vmulps	%zmm17, %zmm18, %zmm16
	vmulps	%zmm17, %zmm19, %zmm15
	vbroadcastss	56(%r10,%rax,4), %zmm17
	addq	$10, %rax
	vsubps	%zmm16, %zmm7, %zmm7
	vsubps	%zmm15, %zmm12, %zmm12
	vmulps	%zmm20, %zmm18, %zmm16
	vmulps	%zmm20, %zmm19, %zmm15
	vsubps	%zmm16, %zmm6, %zmm6
	vsubps	%zmm15, %zmm11, %zmm11
	vmulps	%zmm17, %zmm18, %zmm16
	vmulps	%zmm17, %zmm19, %zmm15
	vsubps	%zmm16, %zmm5, %zmm5
	vsubps	%zmm15, %zmm10, %zmm10
	cmpq	%r13, %r12
	jne	.LBB0_21
	testb	$1, %r11b
	je	.LBB0_15
	leaq	5(%rax), %rsi
	jmp	.LBB0_14
	.p2align	4
.LBB0_11:
	xorl	%r13d, %r13d
	movq	%rcx, %rax
	vmovaps	%zmm5, %zmm10
	vmovaps	%zmm6, %zmm11
	vmovaps	%zmm7, %zmm12
	vmovaps	%zmm8, %zmm13
	vmovaps	%zmm9, %zmm14
.LBB0_14:
	shlq	$8, %r13
	vbroadcastss	(%r10,%rsi,4), %zmm17
	vbroadcastss	24(%r10,%rax,4), %zmm19
	vbroadcastss	28(%r10,%rax,4), %zmm20
	vmovups	(%rdi,%r13), %zmm15
	vmovups	64(%rdi,%r13), %zmm16
	vmulps	%zmm17, %zmm15, %zmm18
	vmulps	%zmm17, %zmm16, %zmm17
	vsubps	%zmm18, %zmm9, %zmm9
	vsubps	%zmm17, %zmm14, %zmm14
	vmulps	%zmm19, %zmm15, %zmm18
	vmulps	%zmm19, %zmm16, %zmm17
	vbroadcastss	36(%r10,%rax,4), %zmm19
	vsubps	%zmm18, %zmm8, %zmm8
	vsubps	%zmm17, %zmm13, %zmm13
	vmulps	%zmm20, %zmm15, %zmm18
	vmulps	%zmm20, %zmm16, %zmm17
	vbroadcastss	32(%r10,%rax,4), %zmm20
	vsubps	%zmm18, %zmm7, %zmm7
	vsubps	%zmm17, %zmm12, %zmm12
	vmulps	%zmm20, %zmm15, %zmm17
	vmulps	%zmm20, %zmm16, %zmm18
	vmulps	%zmm19, %zmm15, %zmm15
	vmulps	%zmm19, %zmm16, %zmm16
	vsubps	%zmm17, %zmm6, %zmm6
	vsubps	%zmm18, %zmm11, %zmm11
	vsubps	%zmm15, %zmm5, %zmm5
	vsubps	%zmm16, %zmm10, %zmm10
.LBB0_15:
	addq	%rbx, %rcx
	jmp	.LBB0_16
	.p2align	4
.LBB0_17:
	movq	312(%rsp), %rax
	movabsq	$.LCPI0_0, %rcx
	xorl	%edx, %edx
	vmovups	%zmm3, (%rax,%r9,4)
	vbroadcastss	(%rcx), %zmm3
	vmovups	%zmm4, 64(%rax,%r9,4)
	movq	256(%rsp), %rax
	vmovdqu64	%zmm1, 64(%rax,%r9,4)
	vmovdqu64	%zmm2, (%rax,%r9,4)
	vpxor	%xmm1, %xmm1, %xmm1
	xorl	%eax, %eax
	vpxor	%xmm2, %xmm2, %xmm2
	vmovaps	%zmm3, %zmm4
	jmp	.LBB0_18
	.p2align	4
.LBB0_19:
	vmovaps	%zmm9, %zmm14
	vmovaps	%zmm8, %zmm13
	vmovaps	%zmm7, %zmm12
	vmovaps	%zmm6, %zmm11
	vmovaps	%zmm5, %zmm10
	movq	%rsi, %rax
.LBB0_30:
	vcmpltps	%zmm4, %zmm9, %k1
	vcmpltps	%zmm3, %zmm14, %k2
	leal	(%rdx,%rdx,4), %ecx
	vminps	%zmm4, %zmm9, %zmm4
	vminps	%zmm3, %zmm14, %zmm3
	leal	1(%rdx,%rdx,4), %r13d
	leal	2(%rdx,%rdx,4), %esi
	vpbroadcastd	%ecx, %zmm1 {%k2}
	vpbroadcastd	%ecx, %zmm2 {%k1}
	vcmpltps	%zmm3, %zmm13, %k1
	vcmpltps	%zmm4, %zmm8, %k2
	vminps	%zmm3, %zmm13, %zmm3
	vminps	%zmm4, %zmm8, %zmm4
	vpbroadcastd	%r13d, %zmm2 {%k2}
	vpbroadcastd	%r13d, %zmm1 {%k1}
	vcmpltps	%zmm4, %zmm7, %k1
	vcmpltps	%zmm3, %zmm12, %k2
	vminps	%zmm4, %zmm7, %zmm4
	vminps	%zmm3, %zmm12, %zmm3
	leal	3(%rdx,%rdx,4), %r13d
	vpbroadcastd	%esi, %zmm1 {%k2}
	vpbroadcastd	%esi, %zmm2 {%k1}
	vcmpltps	%zmm3, %zmm11, %k1
	vcmpltps	%zmm4, %zmm6, %k2
	vminps	%zmm3, %zmm11, %zmm3
	vminps	%zmm4, %zmm6, %zmm4
	leal	4(%rdx,%rdx,4), %esi
	incq	%rdx
	vpbroadcastd	%r13d, %zmm2 {%k2}
	vpbroadcastd	%r13d, %zmm1 {%k1}
	vcmpltps	%zmm4, %zmm5, %k1
	vcmpltps	%zmm3, %zmm10, %k2
	vminps	%zmm4, %zmm5, %zmm4
	vminps	%zmm3, %zmm10, %zmm3
	vpbroadcastd	%esi, %zmm1 {%k2}
	vpbroadcastd	%esi, %zmm2 {%k1}
	cmpq	%r8, %rdx
	je	.LBB0_31
.LBB0_18:
	vbroadcastss	(%r10,%rax,4), %zmm9
	vbroadcastss	4(%r10,%rax,4), %zmm8
	vbroadcastss	8(%r10,%rax,4), %zmm7
	vbroadcastss	12(%r10,%rax,4), %zmm6
	vbroadcastss	16(%r10,%rax,4), %zmm5
	leaq	5(%rax), %rsi
	testq	%r11, %r11
	jle	.LBB0_19
	testq	%r15, %r15
	je	.LBB0_23
	movq	%rbp, %rsi
	movq	%rax, %rcx
	xorl	%r13d, %r13d
	vmovaps	%zmm5, %zmm10
	vmovaps	%zmm6, %zmm11
	vmovaps	%zmm7, %zmm12
	vmovaps	%zmm8, %zmm13
	vmovaps	%zmm9, %zmm14
	.p2align	4
.LBB0_25:
	vbroadcastss	20(%r10,%rcx,4), %zmm15
	vmovups	-192(%rsi), %zmm17
	vmovups	-256(%rsi), %zmm16
	vbroadcastss	24(%r10,%rcx,4), %zmm21
	vbroadcastss	32(%r10,%rcx,4), %zmm22
	vmovups	(%rsi), %zmm18
	vmovups	64(%rsi), %zmm19
	addq	$2, %r13
	addq	$512, %rsi
	vmulps	%zmm15, %zmm17, %zmm20
	vmulps	%zmm15, %zmm16, %zmm15
	vsubps	%zmm20, %zmm14, %zmm14
	vsubps	%zmm15, %zmm9, %zmm9
	vmulps	%zmm21, %zmm17, %zmm15
	vmulps	%zmm21, %zmm16, %zmm20
	vbroadcastss	28(%r10,%rcx,4), %zmm21
	vsubps	%zmm20, %zmm8, %zmm8
	vsubps	%zmm15, %zmm13, %zmm13
	vmulps	%zmm21, %zmm17, %zmm20
	vmulps	%zmm21, %zmm16, %zmm15
	vbroadcastss	36(%r10,%rcx,4), %zmm21
	vsubps	%zmm20, %zmm12, %zmm12
	vmulps	%zmm22, %zmm17, %zmm20
	vsubps	%zmm15, %zmm7, %zmm7
	vmulps	%zmm22, %zmm16, %zmm15
	vsubps	%zmm20, %zmm11, %zmm11
	vbroadcastss	40(%r10,%rcx,4), %zmm20
	vsubps	%zmm15, %zmm6, %zmm6
	vmulps	%zmm21, %zmm16, %zmm15
	vmulps	%zmm21, %zmm17, %zmm17
	vsubps	%zmm15, %zmm5, %zmm5
	vsubps	%zmm17, %zmm10, %zmm10
	vbroadcastss	48(%r10,%rcx,4), %zmm17
	vmulps	%zmm20, %zmm18, %zmm16
	vmulps	%zmm20, %zmm19, %zmm15
	vbroadcastss	44(%r10,%rcx,4), %zmm20
	vsubps	%zmm16, %zmm9, %zmm9
	vsubps	%zmm15, %zmm14, %zmm14
	vmulps	%zmm20, %zmm18, %zmm15
	vmulps	%zmm20, %zmm19, %zmm16
	vbroadcastss	52(%r10,%rcx,4), %zmm20
	vsubps	%zmm15, %zmm8, %zmm8
	vsubps	%zmm16, %zmm13, %zmm13
	vmulps	%zmm17, %zmm18, %zmm16
	vmulps	%zmm17, %zmm19, %zmm15
	vbroadcastss	56(%r10,%rcx,4), %zmm17
	addq	$10, %rcx
	vsubps	%zmm16, %zmm7, %zmm7
	vsubps	%zmm15, %zmm12, %zmm12
	vmulps	%zmm20, %zmm18, %zmm16
	vmulps	%zmm20, %zmm19, %zmm15
	vsubps	%zmm16, %zmm6, %zmm6
	vsubps	%zmm15, %zmm11, %zmm11
	vmulps	%zmm17, %zmm18, %zmm16
	vmulps	%zmm17, %zmm19, %zmm15
	vsubps	%zmm16, %zmm5, %zmm5
	vsubps	%zmm15, %zmm10, %zmm10
	cmpq	%r13, %r12
	jne	.LBB0_25
	testb	$1, %r11b
	je	.LBB0_29
	leaq	5(%rcx), %rsi
	jmp	.LBB0_28
	.p2align	4
.LBB0_23:
	xorl	%r13d, %r13d
	movq	%rax, %rcx
	vmovaps	%zmm5, %zmm10
	vmovaps	%zmm6, %zmm11
	vmovaps	%zmm7, %zmm12
	vmovaps	%zmm8, %zmm13
	vmovaps	%zmm9, %zmm14
.LBB0_28:
	shlq	$8, %r13
	vbroadcastss	(%r10,%rsi,4), %zmm17
	vbroadcastss	24(%r10,%rcx,4), %zmm19
	vbroadcastss	28(%r10,%rcx,4), %zmm20
	vmovups	128(%rdi,%r13), %zmm15
	vmovups	192(%rdi,%r13), %zmm16
	vmulps	%zmm17, %zmm15, %zmm18
	vmulps	%zmm17, %zmm16, %zmm17
	vsubps	%zmm18, %zmm9, %zmm9
	vsubps	%zmm17, %zmm14, %zmm14
	vmulps	%zmm19, %zmm15, %zmm18
	vmulps	%zmm19, %zmm16, %zmm17
	vbroadcastss	36(%r10,%rcx,4), %zmm19
	vsubps	%zmm18, %zmm8, %zmm8
	vsubps	%zmm17, %zmm13, %zmm13
	vmulps	%zmm20, %zmm15, %zmm18
	vmulps	%zmm20, %zmm16, %zmm17
	vbroadcastss	32(%r10,%rcx,4), %zmm20
	vsubps	%zmm18, %zmm7, %zmm7
	vsubps	%zmm17, %zmm12, %zmm12
	vmulps	%zmm20, %zmm15, %zmm17
	vmulps	%zmm20, %zmm16, %zmm18
	vmulps	%zmm19, %zmm15, %zmm15
	vmulps	%zmm19, %zmm16, %zmm16
	vsubps	%zmm17, %zmm6, %zmm6
	vsubps	%zmm18, %zmm11, %zmm11
	vsubps	%zmm15, %zmm5, %zmm5
	vsubps	%zmm16, %zmm10, %zmm10
.LBB0_29:
	addq	%rbx, %rax
	jmp	.LBB0_30
.LBB0_1:
	movl	$1, %edi
	lock		xaddq	%rdi, 256(%r15)
	shlq	$4, %rdi
	cmpq	%r13, %rdi
	jge	.LBB0_33
	movabsq	$.LCPI0_0, %rdx
	movq	256(%rsp), %rax
	movq	312(%rsp), %rcx
	vpxor	%xmm1, %xmm1, %xmm1
	vbroadcastss	(%rdx), %zmm0
	addq	$128, %rax
	addq	$128, %rcx
	jmp	.LBB0_35
	.p2align	4
.LBB0_34:
	movl	$1, %edi
	lock		xaddq	%rdi, 256(%r15)
	shlq	$4, %rdi
	cmpq	%r13, %rdi
	jge	.LBB0_33
.LBB0_35:
	movq	312(%rsp), %rbx
	movq	256(%rsp), %r14
	leaq	16(%rdi), %r8
	cmpq	%r8, %r13
	cmovlq	%r13, %r8
	movq	%r8, %rdx
	subq	%rdi, %rdx
	testq	%rdx, %rdx
	jle	.LBB0_34
	movq	%r8, %r9
	andq	$7, %r9
	movq	%rdi, %rsi
	je	.LBB0_40
	movq	%rdi, %rdx
	shlq	$8, %rdx
	movl	%r9d, %r10d
	shll	$8, %r10d
	addq	%rdi, %r9
	xorl	%r11d, %r11d
	leaq	(%rax,%rdx), %rsi
	addq	%rcx, %rdx
	.p2align	4
.LBB0_38:
	vmovups	%zmm0, -64(%rdx,%r11)
	vmovups	%zmm0, -128(%rdx,%r11)
	vmovdqu64	%zmm1, -64(%rsi,%r11)
	vmovdqu64	%zmm1, -128(%rsi,%r11)
	vmovups	%zmm0, 64(%rdx,%r11)
	vmovups	%zmm0, (%rdx,%r11)
	vmovdqu64	%zmm1, 64(%rsi,%r11)
	vmovdqu64	%zmm1, (%rsi,%r11)
	addq	$256, %r11
	cmpq	%r11, %r10
	jne	.LBB0_38
	movq	%r8, %rdx
	subq	%r9, %rdx
	movq	%r9, %rsi
.LBB0_40:
	subq	%r8, %rdi
	cmpq	$-8, %rdi
	ja	.LBB0_34
	shlq	$8, %rsi
	addq	$8, %rdx
	addq	$1920, %rsi
	.p2align	4
.LBB0_42:
	vmovups	%zmm0, -1856(%rbx,%rsi)
	vmovups	%zmm0, -1920(%rbx,%rsi)
	vmovdqu64	%zmm1, -1856(%r14,%rsi)
	vmovdqu64	%zmm1, -1920(%r14,%rsi)
	vmovups	%zmm0, -1728(%rbx,%rsi)
	vmovups	%zmm0, -1792(%rbx,%rsi)
	vmovdqu64	%zmm1, -1728(%r14,%rsi)
	vmovdqu64	%zmm1, -1792(%r14,%rsi)
	vmovups	%zmm0, -1600(%rbx,%rsi)
	vmovups	%zmm0, -1664(%rbx,%rsi)
	vmovdqu64	%zmm1, -1600(%r14,%rsi)
	vmovdqu64	%zmm1, -1664(%r14,%rsi)
	vmovups	%zmm0, -1472(%rbx,%rsi)
	vmovups	%zmm0, -1536(%rbx,%rsi)
	vmovdqu64	%zmm1, -1472(%r14,%rsi)
	vmovdqu64	%zmm1, -1536(%r14,%rsi)
	vmovups	%zmm0, -1344(%rbx,%rsi)
	vmovups	%zmm0, -1408(%rbx,%rsi)
	vmovdqu64	%zmm1, -1344(%r14,%rsi)
	vmovdqu64	%zmm1, -1408(%r14,%rsi)
	vmovups	%zmm0, -1216(%rbx,%rsi)
	vmovups	%zmm0, -1280(%rbx,%rsi)
	vmovdqu64	%zmm1, -1216(%r14,%rsi)
	vmovdqu64	%zmm1, -1280(%r14,%rsi)
	vmovups	%zmm0, -1088(%rbx,%rsi)
	vmovups	%zmm0, -1152(%rbx,%rsi)
	vmovdqu64	%zmm1, -1088(%r14,%rsi)
	vmovdqu64	%zmm1, -1152(%r14,%rsi)
	vmovups	%zmm0, -960(%rbx,%rsi)
	vmovups	%zmm0, -1024(%rbx,%rsi)
	vmovdqu64	%zmm1, -960(%r14,%rsi)
	vmovdqu64	%zmm1, -1024(%r14,%rsi)
	vmovups	%zmm0, -832(%rbx,%rsi)
	vmovups	%zmm0, -896(%rbx,%rsi)
	vmovdqu64	%zmm1, -832(%r14,%rsi)
	vmovdqu64	%zmm1, -896(%r14,%rsi)
	vmovups	%zmm0, -704(%rbx,%rsi)
	vmovups	%zmm0, -768(%rbx,%rsi)
	vmovdqu64	%zmm1, -704(%r14,%rsi)
	vmovdqu64	%zmm1, -768(%r14,%rsi)
	vmovups	%zmm0, -576(%rbx,%rsi)
	vmovups	%zmm0, -640(%rbx,%rsi)
	vmovdqu64	%zmm1, -576(%r14,%rsi)
	vmovdqu64	%zmm1, -640(%r14,%rsi)
	vmovups	%zmm0, -448(%rbx,%rsi)
	vmovups	%zmm0, -512(%rbx,%rsi)
	vmovdqu64	%zmm1, -448(%r14,%rsi)
	vmovdqu64	%zmm1, -512(%r14,%rsi)
	vmovups	%zmm0, -320(%rbx,%rsi)
	vmovups	%zmm0, -384(%rbx,%rsi)
	vmovdqu64	%zmm1, -320(%r14,%rsi)
	vmovdqu64	%zmm1, -384(%r14,%rsi)
	vmovups	%zmm0, -192(%rbx,%rsi)
	vmovups	%zmm0, -256(%rbx,%rsi)
	vmovdqu64	%zmm1, -192(%r14,%rsi)
	vmovdqu64	%zmm1, -256(%r14,%rsi)
	vmovups	%zmm0, -64(%rbx,%rsi)
	vmovups	%zmm0, -128(%rbx,%rsi)
	vmovdqu64	%zmm1, -64(%r14,%rsi)
	vmovdqu64	%zmm1, -128(%r14,%rsi)
	vmovups	%zmm0, 64(%rbx,%rsi)
	vmovups	%zmm0, (%rbx,%rsi)
	vmovdqu64	%zmm1, 64(%r14,%rsi)
	vmovdqu64	%zmm1, (%r14,%rsi)
	addq	$-8, %rdx
	addq	$2048, %rsi
	cmpq	$8, %rdx
	jg	.LBB0_42
	jmp	.LBB0_34
.LBB0_33:
	movq	-48(%rsp), %rax
	movq	$0, (%rax)
	xorl	%eax, %eax
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%r12
	.cfi_def_cfa_offset 40
	popq	%r13
	.cfi_def_cfa_offset 32
	popq	%r14
	.cfi_def_cfa_offset 24
	popq	%r15
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	vzeroupper
	retq
.Lfunc_end0:
	.size	_ZN8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE, .Lfunc_end0-_ZN8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE
	.cfi_endproc

	.globl	_ZN7cpython8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE
	.p2align	4
	.type	_ZN7cpython8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE,@function
_ZN7cpython8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	pushq	%r15
	.cfi_def_cfa_offset 24
	pushq	%r14
	.cfi_def_cfa_offset 32
	pushq	%r13
	.cfi_def_cfa_offset 40
	pushq	%r12
	.cfi_def_cfa_offset 48
	pushq	%rbx
	.cfi_def_cfa_offset 56
	subq	$472, %rsp
	.cfi_def_cfa_offset 528
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	.cfi_offset %rbp, -16
	movq	%rsi, %rdi
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	leaq	80(%rsp), %r10
	xorl	%ebx, %ebx
	leaq	88(%rsp), %r11
	leaq	96(%rsp), %r14
	leaq	104(%rsp), %r15
	leaq	112(%rsp), %r12
	leaq	120(%rsp), %r13
	leaq	128(%rsp), %rbp
	movabsq	$".const.build.<locals>.assign", %rsi
	leaq	144(%rsp), %r8
	leaq	136(%rsp), %r9
	movl	$9, %edx
	movl	$9, %ecx
	xorl	%eax, %eax
	pushq	%r10
	.cfi_adjust_cfa_offset 8
	pushq	%r11
	.cfi_adjust_cfa_offset 8
	pushq	%r14
	.cfi_adjust_cfa_offset 8
	pushq	%r15
	.cfi_adjust_cfa_offset 8
	pushq	%r12
	.cfi_adjust_cfa_offset 8
	pushq	%r13
	.cfi_adjust_cfa_offset 8
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	movabsq	$PyArg_UnpackTuple, %r10
	callq	*%r10
	addq	$64, %rsp
	.cfi_adjust_cfa_offset -64
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%ymm0, 400(%rsp)
	vmovups	%ymm0, 336(%rsp)
	vmovups	%ymm0, 272(%rsp)
	vmovups	%ymm0, 144(%rsp)
	vmovups	%ymm0, 208(%rsp)
	vmovups	%ymm0, 424(%rsp)
	vmovups	%ymm0, 360(%rsp)
	vmovups	%ymm0, 296(%rsp)
	vmovups	%ymm0, 168(%rsp)
	vmovups	%ymm0, 232(%rsp)
	testl	%eax, %eax
	je	.LBB1_24
	movabsq	$_ZN08NumbaEnv8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE, %rax
	cmpq	$0, (%rax)
	je	.LBB1_29
	movq	136(%rsp), %rdi
	movabsq	$PyNumber_Long, %rbp
	vzeroupper
	callq	*%rbp
	movabsq	$PyLong_AsLongLong, %r14
	movabsq	$Py_DecRef, %r12
	testq	%rax, %rax
	je	.LBB1_4
	movq	%rax, %rdi
	movq	%rax, %rbx
	callq	*%r14
	movq	%rbx, %rdi
	callq	*%r12
.LBB1_4:
	movabsq	$PyErr_Occurred, %r13
	callq	*%r13
	testq	%rax, %rax
	jne	.LBB1_30
	movq	128(%rsp), %rdi
	callq	*%rbp
	testq	%rax, %rax
	je	.LBB1_7
	movq	%rax, %rdi
	movq	%rax, %rbx
	callq	*%r14
	movq	%rbx, %rdi
	callq	*%r12
.LBB1_7:
	callq	*%r13
	testq	%rax, %rax
	jne	.LBB1_30
	movq	120(%rsp), %rdi
	movabsq	$NRT_adapt_ndarray_from_python, %r14
	leaq	400(%rsp), %rsi
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%ymm0, 400(%rsp)
	vmovups	%ymm0, 424(%rsp)
	vzeroupper
	callq	*%r14
	testl	%eax, %eax
	jne	.LBB1_32
	cmpq	$8, 424(%rsp)
	jne	.LBB1_32
	movq	112(%rsp), %rdi
	movq	400(%rsp), %r15
	movq	432(%rsp), %rbx
	leaq	336(%rsp), %rsi
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%ymm0, 336(%rsp)
	vmovups	%ymm0, 360(%rsp)
	vzeroupper
	callq	*%r14
	testl	%eax, %eax
	jne	.LBB1_33
	cmpq	$4, 360(%rsp)
	jne	.LBB1_33
	movq	368(%rsp), %rax
	movq	104(%rsp), %rdi
	movq	%r15, 24(%rsp)
	movq	336(%rsp), %r15
	movq	%rbx, 64(%rsp)
	movq	%rax, 56(%rsp)
	callq	*%rbp
	testq	%rax, %rax
	je	.LBB1_34
	movq	%rax, %rbx
	movq	%rax, %rdi
	movabsq	$PyLong_AsLongLong, %rax
	callq	*%rax
	movq	%rbx, %rdi
	movq	%rax, 8(%rsp)
	callq	*%r12
	callq	*%r13
	testq	%rax, %rax
	jne	.LBB1_40
.LBB1_14:
	movq	96(%rsp), %rdi
	leaq	272(%rsp), %rsi
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%ymm0, 272(%rsp)
	vmovups	%ymm0, 296(%rsp)
	vzeroupper
	callq	*%r14
	testl	%eax, %eax
	jne	.LBB1_35
	cmpq	$4, 296(%rsp)
	jne	.LBB1_35
	movq	272(%rsp), %rax
	movq	304(%rsp), %rcx
	movq	88(%rsp), %rdi
	movq	%rax, 16(%rsp)
	movq	%rcx, 48(%rsp)
	callq	*%rbp
	testq	%rax, %rax
	je	.LBB1_36
	movq	%rax, %rbx
	movq	%rax, %rdi
	movabsq	$PyLong_AsLongLong, %rax
	callq	*%rax
	movq	%rbx, %rdi
	movq	%rax, %rbp
	callq	*%r12
	callq	*%r13
	testq	%rax, %rax
	jne	.LBB1_39
.LBB1_18:
	movq	80(%rsp), %rdi
	leaq	144(%rsp), %rsi
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%ymm0, 144(%rsp)
	vmovups	%ymm0, 168(%rsp)
	vzeroupper
	callq	*%r14
	testl	%eax, %eax
	jne	.LBB1_37
	cmpq	$4, 168(%rsp)
	jne	.LBB1_37
	movq	72(%rsp), %rdi
	movq	%r15, (%rsp)
	movq	144(%rsp), %r13
	movq	160(%rsp), %rbx
	movq	176(%rsp), %r15
	leaq	208(%rsp), %rsi
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%ymm0, 208(%rsp)
	vmovups	%ymm0, 232(%rsp)
	vzeroupper
	callq	*%r14
	testl	%eax, %eax
	jne	.LBB1_38
	cmpq	$4, 232(%rsp)
	jne	.LBB1_38
	movq	%r15, %r14
	movq	208(%rsp), %r15
	movq	%rbp, %r12
	movq	240(%rsp), %rbp
	movabsq	$PyEval_SaveThread, %rax
	movq	%r15, 40(%rsp)
	callq	*%rax
	movq	%rax, 32(%rsp)
	subq	$288, %rsp
	.cfi_adjust_cfa_offset 288
	movq	296(%rsp), %rdi
	movq	336(%rsp), %rax
	movq	%r15, 224(%rsp)
	movq	%rbx, 184(%rsp)
	movq	%r12, 160(%rsp)
	movq	344(%rsp), %r8
	movq	288(%rsp), %r12
	movq	%r13, 168(%rsp)
	movq	%r13, %rbx
	movq	304(%rsp), %r13
	movq	312(%rsp), %r15
	movq	%rbp, 256(%rsp)
	movq	%r14, 200(%rsp)
	movq	%rdi, 96(%rsp)
	movq	352(%rsp), %rdi
	movq	%rax, 136(%rsp)
	movabsq	$_ZN8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE, %rax
	movq	%r8, 72(%rsp)
	movq	%r13, 104(%rsp)
	movq	%r12, 40(%rsp)
	movq	%r15, %r8
	movq	%rdi, 16(%rsp)
	leaq	752(%rsp), %rdi
	callq	*%rax
	addq	$288, %rsp
	.cfi_adjust_cfa_offset -288
	movq	32(%rsp), %rdi
	movl	%eax, %ebp
	movabsq	$PyEval_RestoreThread, %rax
	callq	*%rax
	movabsq	$NRT_decref, %r14
	movq	%r15, %rdi
	callq	*%r14
	movq	%r12, %rdi
	callq	*%r14
	movq	%r13, %rdi
	callq	*%r14
	movq	%rbx, %rdi
	callq	*%r14
	movq	40(%rsp), %rdi
	callq	*%r14
	testl	%ebp, %ebp
	jne	.LBB1_25
	movabsq	$_Py_NoneStruct, %rbx
	movabsq	$Py_IncRef, %rax
	movq	%rbx, %rdi
	callq	*%rax
.LBB1_24:
	movq	%rbx, %rax
	addq	$472, %rsp
	.cfi_def_cfa_offset 56
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%r12
	.cfi_def_cfa_offset 40
	popq	%r13
	.cfi_def_cfa_offset 32
	popq	%r14
	.cfi_def_cfa_offset 24
	popq	%r15
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	vzeroupper
	retq
.LBB1_25:
	.cfi_def_cfa_offset 528
	jg	.LBB1_46
	cmpl	$-1, %ebp
	je	.LBB1_30
	cmpl	$-3, %ebp
	jne	.LBB1_44
	movabsq	$PyExc_StopIteration, %rdi
	movabsq	$PyErr_SetNone, %rax
	jmp	.LBB1_42
.LBB1_29:
	movabsq	$PyExc_RuntimeError, %rdi
	movabsq	$".const.missing Environment: _ZN08NumbaEnv8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE", %rsi
	jmp	.LBB1_45
.LBB1_32:
	movabsq	$PyExc_TypeError, %rdi
	movabsq	$".const.can't unbox array from PyObject into native value.  The object maybe of a different type", %rsi
	jmp	.LBB1_45
.LBB1_33:
	movabsq	$PyExc_TypeError, %rdi
	movabsq	$".const.can't unbox array from PyObject into native value.  The object maybe of a different type", %rsi
	movabsq	$PyErr_SetString, %rax
	callq	*%rax
	jmp	.LBB1_41
.LBB1_34:
	movq	$0, 8(%rsp)
	callq	*%r13
	testq	%rax, %rax
	je	.LBB1_14
	jmp	.LBB1_40
.LBB1_35:
	movabsq	$PyExc_TypeError, %rdi
	movabsq	$".const.can't unbox array from PyObject into native value.  The object maybe of a different type", %rsi
	movabsq	$PyErr_SetString, %rax
	callq	*%rax
	jmp	.LBB1_40
.LBB1_36:
	xorl	%ebp, %ebp
	callq	*%r13
	testq	%rax, %rax
	je	.LBB1_18
	jmp	.LBB1_39
.LBB1_37:
	movabsq	$PyExc_TypeError, %rdi
	movabsq	$".const.can't unbox array from PyObject into native value.  The object maybe of a different type", %rsi
	movabsq	$PyErr_SetString, %rax
	callq	*%rax
	jmp	.LBB1_39
.LBB1_38:
	movabsq	$PyExc_TypeError, %rdi
	movabsq	$".const.can't unbox array from PyObject into native value.  The object maybe of a different type", %rsi
	movabsq	$PyErr_SetString, %rax
	callq	*%rax
	movabsq	$NRT_decref, %rax
	movq	%r13, %rdi
	callq	*%rax
	movq	(%rsp), %r15
.LBB1_39:
	movq	16(%rsp), %rdi
	movabsq	$NRT_decref, %rax
	callq	*%rax
.LBB1_40:
	movabsq	$NRT_decref, %rax
	movq	%r15, %rdi
	callq	*%rax
	movq	24(%rsp), %r15
.LBB1_41:
	movabsq	$NRT_decref, %rax
	movq	%r15, %rdi
.LBB1_42:
	callq	*%rax
.LBB1_30:
	xorl	%ebx, %ebx
	jmp	.LBB1_24
.LBB1_44:
	movabsq	$PyExc_SystemError, %rdi
	movabsq	$".const.unknown error when calling native function", %rsi
.LBB1_45:
	movabsq	$PyErr_SetString, %rax
	vzeroupper
	callq	*%rax
	xorl	%ebx, %ebx
	jmp	.LBB1_24
.LBB1_46:
	movabsq	$PyErr_Clear, %rax
	callq	*%rax
.Lfunc_end1:
	.size	_ZN7cpython8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE, .Lfunc_end1-_ZN7cpython8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE
	.cfi_endproc

	.globl	cfunc._ZN8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE
	.p2align	4
	.type	cfunc._ZN8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE,@function
cfunc._ZN8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE:
	.cfi_startproc
	pushq	%r14
	.cfi_def_cfa_offset 16
	pushq	%rbx
	.cfi_def_cfa_offset 24
	subq	$296, %rsp
	.cfi_def_cfa_offset 320
	.cfi_offset %rbx, -24
	.cfi_offset %r14, -16
	vmovaps	400(%rsp), %xmm0
	vmovaps	464(%rsp), %xmm1
	movq	488(%rsp), %r8
	movq	504(%rsp), %r9
	movq	528(%rsp), %r10
	movq	560(%rsp), %r11
	movq	320(%rsp), %rax
	movq	440(%rsp), %rdi
	movq	344(%rsp), %rcx
	movq	376(%rsp), %rsi
	movq	$0, 288(%rsp)
	movq	%r8, 184(%rsp)
	movq	%r11, 256(%rsp)
	movq	%r10, 224(%rsp)
	movq	%r9, 200(%rsp)
	movq	%rdx, %r8
	vmovups	%xmm1, 160(%rsp)
	movq	%rdi, 136(%rsp)
	vmovups	%xmm0, 96(%rsp)
	movq	%rax, 16(%rsp)
	movabsq	$_ZN8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE, %rax
	leaq	288(%rsp), %rdi
	movq	%rsi, 72(%rsp)
	movq	%rcx, 40(%rsp)
	callq	*%rax
	movq	288(%rsp), %rcx
	movl	$0, 284(%rsp)
	testl	%eax, %eax
	jne	.LBB2_1
.LBB2_5:
	movq	%rcx, %rax
	addq	$296, %rsp
	.cfi_def_cfa_offset 24
	popq	%rbx
	.cfi_def_cfa_offset 16
	popq	%r14
	.cfi_def_cfa_offset 8
	retq
.LBB2_1:
	.cfi_def_cfa_offset 320
	movq	%rcx, %r14
	movabsq	$numba_gil_ensure, %rcx
	leaq	284(%rsp), %rdi
	movl	%eax, %ebx
	callq	*%rcx
	testl	%ebx, %ebx
	jg	.LBB2_2
	movl	%ebx, %eax
	cmpl	$-1, %ebx
	je	.LBB2_4
	cmpl	$-3, %eax
	jne	.LBB2_3
	movabsq	$PyExc_StopIteration, %rdi
	movabsq	$PyErr_SetNone, %rax
	callq	*%rax
	jmp	.LBB2_4
.LBB2_3:
	movabsq	$PyExc_SystemError, %rdi
	movabsq	$".const.unknown error when calling native function.2", %rsi
	movabsq	$PyErr_SetString, %rax
	callq	*%rax
.LBB2_4:
	movabsq	$".const.<numba.core.cpu.CPUContext>", %rdi
	movabsq	$PyUnicode_FromString, %rax
	callq	*%rax
	movq	%rax, %rbx
	movabsq	$PyErr_WriteUnraisable, %rax
	movq	%rbx, %rdi
	callq	*%rax
	movabsq	$Py_DecRef, %rax
	movq	%rbx, %rdi
	callq	*%rax
	movabsq	$numba_gil_release, %rax
	leaq	284(%rsp), %rdi
	callq	*%rax
	movq	%r14, %rcx
	jmp	.LBB2_5
.LBB2_2:
	movabsq	$PyErr_Clear, %rax
	callq	*%rax
.Lfunc_end2:
	.size	cfunc._ZN8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE, .Lfunc_end2-cfunc._ZN8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE
	.cfi_endproc

	.weak	NRT_incref
	.p2align	4
	.type	NRT_incref,@function
NRT_incref:
	testq	%rdi, %rdi
	je	.LBB3_2
	lock		incq	(%rdi)
.LBB3_2:
	retq
.Lfunc_end3:
	.size	NRT_incref, .Lfunc_end3-NRT_incref

	.weak	NRT_decref
	.p2align	4
	.type	NRT_decref,@function
NRT_decref:
	.cfi_startproc
	testq	%rdi, %rdi
	je	.LBB4_2
	#MEMBARRIER
	lock		decq	(%rdi)
	je	.LBB4_3
.LBB4_2:
	retq
.LBB4_3:
	movabsq	$NRT_MemInfo_call_dtor, %rax
	#MEMBARRIER
	jmpq	*%rax
.Lfunc_end4:
	.size	NRT_decref, .Lfunc_end4-NRT_decref
	.cfi_endproc

	.type	".const.build.<locals>.assign",@object
	.section	.lrodata,"al",@progbits
	.p2align	4, 0x0
".const.build.<locals>.assign":
	.asciz	"build.<locals>.assign"
	.size	".const.build.<locals>.assign", 22

	.type	_ZN08NumbaEnv8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE,@object
	.comm	_ZN08NumbaEnv8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE,8,8
	.type	".const.missing Environment: _ZN08NumbaEnv8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE",@object
	.p2align	4, 0x0
".const.missing Environment: _ZN08NumbaEnv8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE":
	.asciz	"missing Environment: _ZN08NumbaEnv8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE"
	.size	".const.missing Environment: _ZN08NumbaEnv8__main__5build12_3clocals_3e6assignB2v7B56c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAK4JJIqUWsIgmAA_3d_3dExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi1E1C7mutable7alignedEx5ArrayIiLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE", 294

	.type	".const.can't unbox array from PyObject into native value.  The object maybe of a different type",@object
	.p2align	4, 0x0
".const.can't unbox array from PyObject into native value.  The object maybe of a different type":
	.asciz	"can't unbox array from PyObject into native value.  The object maybe of a different type"
	.size	".const.can't unbox array from PyObject into native value.  The object maybe of a different type", 89

	.type	".const.unknown error when calling native function",@object
	.p2align	4, 0x0
".const.unknown error when calling native function":
	.asciz	"unknown error when calling native function"
	.size	".const.unknown error when calling native function", 43

	.type	".const.unknown error when calling native function.2",@object
	.p2align	4, 0x0
".const.unknown error when calling native function.2":
	.asciz	"unknown error when calling native function"
	.size	".const.unknown error when calling native function.2", 43

	.type	".const.<numba.core.cpu.CPUContext>",@object
	.p2align	4, 0x0
".const.<numba.core.cpu.CPUContext>":
	.asciz	"<numba.core.cpu.CPUContext>"
	.size	".const.<numba.core.cpu.CPUContext>", 28

	.type	_ZN08NumbaEnv5numba7cpython8builtins6ol_min12_3clocals_3e4implB2v3B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAw4hWqFpgsIBZmgA_3dE15StarArgUniTupleIxLi2EE,@object
	.comm	_ZN08NumbaEnv5numba7cpython8builtins6ol_min12_3clocals_3e4implB2v3B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAw4hWqFpgsIBZmgA_3dE15StarArgUniTupleIxLi2EE,8,8
	.type	_ZN08NumbaEnv7spinney5_team10next_chunkB2v2B66c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2IZKIKUpsIgmAA_3d_3dE5ArrayIxLi1E1C7mutable7alignedE,@object
	.comm	_ZN08NumbaEnv7spinney5_team10next_chunkB2v2B66c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2IZKIKUpsIgmAA_3d_3dE5ArrayIxLi1E1C7mutable7alignedE,8,8
	.section	".note.GNU-stack","",@progbits
